import { Buffer } from "node:buffer";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { EngineError } from "../../../../engine/errors.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../../helpers/spawn.ts";
import { fieldText, frameOf, FrameReader } from "../../perl/frames.ts";
import { LINKS_PROGRAM, perlArguments } from "../../perl/programs.ts";
import type { Messages } from "./netlink.ts";

/** `NETLINK_ROUTE` and `NETLINK_NETFILTER`. */
const PROTOCOLS = { route: "0", netfilter: "12" } as const;

/** Errors of the kernel, by their numbers on every processor that this program runs on. */
export const ERRORS = { missing: 2, exists: 17, noDevice: 19, noFamily: 97, inUse: 98, notAvailable: 99 } as const;

/** One step of a request, as `links.pl` takes it. */
export type LinkStep = readonly (string | Uint8Array)[];

/** The next steps are done in a namespace; an empty path stands for that of the bridges. */
export function inNamespace(path: string): LinkStep {
  return ["namespace", path];
}

/** Looks up the index of an interface for the messages that follow. */
export function findIndex(name: string): LinkStep {
  return ["index", name];
}

/** Opens a namespace for the messages that follow. */
export function openNamespace(path: string): LinkStep {
  return ["file", path];
}

/** Sends messages; `allowed` are the errors that are none. */
export function sendMessages(
  protocol: keyof typeof PROTOCOLS,
  { bytes, places }: Messages,
  ...allowed: number[]
): LinkStep {
  return ["send", PROTOCOLS[protocol], allowed.join(" "), places, bytes];
}

/** Gives a setting below `/proc/sys` a value, where it is there. */
export function writeSetting(path: string, value: string): LinkStep {
  return ["set", `/proc/sys/${path}`, value];
}

/** As {@linkcode writeSetting}; a setting that is not there is an error. */
export function changeSetting(path: string, value: string): LinkStep {
  return ["change", `/proc/sys/${path}`, value];
}

/** Fails where something listens on a port. The address is in hexadecimal digits. */
export function tryPort(protocol: string, address: string, port: number): LinkStep {
  return ["try", protocol, address, String(port)];
}

/** A step that failed. */
export class LinkError extends Error {
  override name = "LinkError";

  constructor(
    message: string,
    /** The step's place among the request's. */
    readonly step: number,
    /** The kernel's error. */
    readonly code: number,
  ) {
    super(message);
  }
}

/** The helper at work. */
interface Running {
  child: ChildProcessWithoutNullStreams;
  /** The requests that wait for an answer, by key. */
  waiting: Map<string, PromiseWithResolvers<Uint8Array[]>>;
  closed: Promise<void>;
}

/**
 * The process that makes links, addresses and routes, and changes sets of the firewall: neither Deno nor Node can enter another network
 * namespace, and a program for each step costs more than all of them.
 *
 * It starts with its first request and ends with this process, after the request that it is at.
 */
export class LinkHelper {
  readonly #namespace: string;
  #count = 0;
  #running?: Running;

  /** @param namespace The path of the namespace of the bridges; empty where it is this process's own */
  constructor(namespace = "") {
    this.#namespace = namespace;
  }

  /** Starts the process, for the request that comes next. */
  warm(): void {
    this.#running ??= this.#start();
  }

  /**
   * Does steps one after the other, and gives the kernel's messages that are no acknowledgement. Throws {@linkcode LinkError} for the first
   * step that fails, and `EngineError("internal")` where the helper is lost.
   */
  run(...steps: LinkStep[]): Promise<Uint8Array[]> {
    return this.#ask("run", steps);
  }

  /** Does steps as {@linkcode run} does, beside other requests. */
  runAside(...steps: LinkStep[]): Promise<Uint8Array[]> {
    return this.#ask("aside", steps);
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const running = this.#running;
    running?.child.stdin.end();
    await running?.closed;
  }

  #ask(verb: string, steps: readonly LinkStep[]): Promise<Uint8Array[]> {
    const { child, waiting } = this.#running ??= this.#start();
    const key = String(++this.#count);
    const answer = Promise.withResolvers<Uint8Array[]>();
    waiting.set(key, answer);
    child.stdin.write(Buffer.concat(frameOf(verb, key, ...steps.flat())));
    return answer.promise;
  }

  #start(): Running {
    const args = perlArguments(LINKS_PROGRAM, "Connect network", [this.#namespace]);
    const child = startPipedProgram("perl", args, { cwd: "/", env: HELPER_ENVIRONMENT });
    const closed = Promise.withResolvers<void>();
    const running: Running = { child, waiting: new Map(), closed: closed.promise };
    let errors = "";
    const lost = (why: string) => {
      if (this.#running === running) this.#running = undefined;
      for (const { reject } of running.waiting.values()) {
        reject(new EngineError("internal", `Connect network: the helper was lost: ${why}`));
      }
      running.waiting.clear();
      closed.resolve();
    };
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk: Uint8Array) => errors = (errors + Buffer.from(chunk).toString()).slice(-4096));
    hearAnswers(new FrameReader(child.stdout), running.waiting).catch((error) => {
      errors ||= String(error.message);
      child.kill("SIGKILL");
    });
    child.once("error", ({ message }) => lost(message));
    child.once("close", (code, signal) => lost(errors.trim() || `it ended with ${signal ?? code}`));
    return running;
  }
}

async function hearAnswers(frames: FrameReader, waiting: Running["waiting"]): Promise<void> {
  for (let fields = await frames.read(); fields !== undefined; fields = await frames.read()) {
    const [, key, step, code, text] = fields.slice(0, 5).map(fieldText);
    const answer = waiting.get(key ?? "");
    waiting.delete(key ?? "");
    if (step === "-1") answer?.resolve(fields.slice(5));
    else answer?.reject(new LinkError(text ?? "", Number(step), Number(code)));
  }
}
