import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../engine/errors.ts";
import type { PublishedPorts } from "../../../../engine/ports/network_port.ts";
import { cannotListen, portInUse } from "../../../../engine/ports/published_ports.ts";
import { Locks } from "../../../../engine/store/locks.ts";
import { messageOf } from "../../../../oci/message_of.ts";
import { isAlive, readMark } from "../../helpers/proc.ts";
import { type ForwardedPort, forwardedPorts, portsText } from "./forwarded_ports.ts";
import { killGroup, PortProgram } from "./port_program.ts";

/** The most connections of one container at a time: each is a process. */
const MOST_CONNECTIONS = 512;
/** Milliseconds between two looks at whether the program works, and the longest pause after failures. */
const CHECK = 1000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds that the program works before its end counts as the first one again. */
const SETTLED = 10_000;

/** The parts of {@linkcode PortForwards}. */
export interface PortForwardsOptions {
  /** The folder of the notes and of the program's socket, which nobody else may enter. */
  folder: string;
  /** The namespace of an ordinary user's bridges; without one IPv6 is published only. */
  netns: string | undefined;
  /** Whether a container still has its network: else its ports are none of anybody's. */
  isConnected: (containerID: string) => boolean;
  log: (level: "warn", message: string) => void;
}

/**
 * Published ports to which no rule of the firewall leads. Each container's ports are noted in a file of its own, by its ID, before the
 * program has it: a program that somebody kills has a successor at once, with the ports of all containers, and one that is stopped
 * goes on. Connections end with their program.
 */
export class PortForwards {
  readonly #options: PortForwardsOptions;
  readonly #program: PortProgram;
  readonly #locks = new Locks();
  readonly #closing = new AbortController();
  /** Containers whose ports are noted. */
  readonly #noted: Set<string>;
  /** Containers whose ports the program has. */
  readonly #known = new Set<string>();
  /** Containers whose ports could not be had, with the moment of the next try and the pause after that. */
  readonly #failed = new Map<string, { next: number; pause: number }>();
  readonly #restoring = new Map<string, Promise<void>>();
  #isWatching = false;
  #look = () => {};
  #lastLost = -Infinity;

  constructor(options: PortForwardsOptions) {
    this.#options = options;
    this.#program = new PortProgram(options.folder, options.netns, () => this.#lose());
    // The server before may have left some.
    this.#noted = new Set(notedContainers(options.folder));
    void this.#watch();
  }

  /**
   * Publishes all of a container's ports or none, in place of those it has. Throws `port_in_use`, and `invalid` for what cannot be had.
   */
  async publish(options: PublishedPorts): Promise<void> {
    const { containerID: id } = options;
    const ports = forwardedPorts(options, this.#options.netns !== undefined);
    const text = portsText(ports);
    await this.#locks.with(id, async () => {
      if (text === "") return await this.#end(id);
      if (this.#hasEarlier(id, text)) return;
      await killGroup(this.#note(id));
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(this.#note(id), JSON.stringify({ ports: text }));
        this.#noted.add(id);
        void this.#watch();
        const refused = await this.#program.publish(id, MOST_CONNECTIONS, text);
        if (refused !== undefined) throw refusedPort(ports[refused.number] ?? ports[0]!, refused.error);
        this.#known.add(id);
        this.#failed.delete(id);
      } catch (error) {
        this.#forget(id);
        this.#noted.delete(id);
        await rm(this.#note(id), { force: true }).catch(() => {});
        throw error;
      }
    });
  }

  /** Ends a container's ports, whichever server has published them. */
  async end(containerID: string): Promise<void> {
    await this.#locks.with(containerID, () => this.#end(containerID));
  }

  /** Ends the watch; the program goes on while it has ports. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#look();
    await this.#program.close();
    await Promise.all(this.#restoring.values());
  }

  async #end(id: string): Promise<void> {
    this.#forget(id);
    if (!existsSync(this.#note(id))) return;
    await killGroup(this.#note(id));
    await this.#program.end(id);
    await rm(this.#note(id), { force: true });
    this.#noted.delete(id);
  }

  #note(id: string): string {
    return join(this.#options.folder, id);
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#failed.delete(id);
  }

  /** Whether a process of an earlier version, which had one for each container, has a container's ports: these, if they are given. */
  #hasEarlier(id: string, text?: string): boolean {
    const mark = readMark(this.#note(id));
    if (mark?.pid === undefined || !isAlive(mark)) return false;
    return text === undefined || readPorts(this.#note(id)) === text;
  }

  #lose(): void {
    if (this.#known.size > 0 && !this.#closing.signal.aborted) {
      this.#options.log("warn", "Published ports: their process ended, and is started again");
    }
    this.#known.clear();
    // At once, but for one that ends again and again.
    if (performance.now() - this.#lastLost > SETTLED) this.#look();
    this.#lastLost = performance.now();
  }

  /** Looks at the program as long as there are ports. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { signal } = this.#closing;
    while (!signal.aborted && this.#noted.size > 0) {
      if (this.#program.wake()) {
        this.#options.log("warn", "Published ports: their process was stopped, and has to go on");
      }
      for (const id of this.#noted) if (!this.#known.has(id)) this.#restore(id);
      const round = new AbortController();
      this.#look = () => round.abort();
      await sleep(CHECK, undefined, { signal: round.signal, ref: false }).catch(() => {});
    }
    this.#isWatching = false;
  }

  /** Has the program have the ports of a container which it lacks, behind the caller. */
  #restore(id: string): void {
    const { next = 0, pause = CHECK } = this.#failed.get(id) ?? {};
    if (this.#restoring.has(id) || performance.now() < next) return;
    const restored = this.#locks.with(id, () => this.#publishNoted(id)).catch((error) => {
      if (this.#closing.signal.aborted) return;
      this.#failed.set(id, { next: performance.now() + pause, pause: Math.min(LONGEST_PAUSE, 2 * pause) });
      this.#options.log("warn", `Container ${id}: publish its ports again: ${messageOf(error)}`);
    }).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restored);
  }

  async #publishNoted(id: string): Promise<void> {
    const ports = readPorts(this.#note(id));
    if (this.#known.has(id) || this.#closing.signal.aborted || ports === undefined || this.#hasEarlier(id)) return;
    if (!this.#options.isConnected(id)) return await this.#end(id);
    const refused = await this.#program.publish(id, MOST_CONNECTIONS, ports);
    if (refused !== undefined) throw new Error(refused.error);
    this.#known.add(id);
    this.#failed.delete(id);
  }
}

/** The containers whose ports are noted. */
function notedContainers(folder: string): string[] {
  try {
    // Of the runroot, which lies in memory.
    return readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}

/** The ports that a note has; `undefined` where there is none, or it was cut short. An earlier version noted their fields. */
function readPorts(note: string): string | undefined {
  try {
    const { ports, fields } = JSON.parse(readFileSync(note, "utf8"));
    return typeof ports === "string" ? ports : Array.isArray(fields) ? fields.join(" ") : undefined;
  } catch {
    return undefined;
  }
}

function refusedPort({ mapping, hostPort }: ForwardedPort, error: string): EngineError {
  if (error === "EADDRINUSE") return portInUse(mapping, hostPort);
  const setting = /denied/i.test(error) ? ", add 'net.ipv4.ip_unprivileged_port_start' to /etc/sysctl.conf" : "";
  return new EngineError("invalid", `${cannotListen(mapping, hostPort, error.toLowerCase())}${setting}`);
}
