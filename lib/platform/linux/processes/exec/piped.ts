/**
 * Exec sessions without a terminal: the process on pipes of this one, supervised by a small helper.
 *
 * @module
 */
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { EngineError } from "../../../../engine/errors.ts";
import type { ExecStreams } from "../../../../engine/ports/exec_port.ts";
import type { Attachment } from "../../../../engine/ports/host_port.ts";
import type { ExecPaths } from "../../helpers/paths.ts";
import { FrameReader } from "../../perl/frames.ts";
import { EXEC_PROGRAM, perlArguments } from "../../perl/programs.ts";
import { writeAll } from "../../../http/exchange/write_all.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../../helpers/spawn.ts";
import { commandOf, type Runtime } from "../runtime/runtime.ts";
import { runtimeError } from "../runtime/runtime_errors.ts";
import { pipedOutput } from "./piped_output.ts";
import type { Supervised } from "./supervised.ts";

/** The options of an exec helper. */
export interface PipedOptions {
  runtime: Runtime;
  containerID: string;
  paths: ExecPaths;
  streams: ExecStreams;
  adopt: (pid: number) => Promise<void>;
}

/** Runs the process of a session and attaches to it. Throws the runtime's failure. */
export async function startPiped(options: PipedOptions): Promise<Supervised & { attachment: Attachment }> {
  const { runtime, streams } = options;
  const child = startProgram("perl", helperArgs(options), {
    cwd: options.paths.folder,
    env: HELPER_ENVIRONMENT,
    stdio: [
      streams.stdin ? "pipe" : "ignore",
      streams.stdout && !streams.isMerged ? "pipe" : "ignore",
      "pipe",
      "pipe",
    ],
    detached: true,
  });
  const failed = once(child, "error").then(([error]) => {
    throw new EngineError("internal", `Run exec helper: ${error.message}`, { cause: error });
  });
  failed.catch(() => {});
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.pid === undefined) return await failed;
  // These are the pipes requested above; without an attached input `stdin` is null.
  const [stdin, stdout, stderr, said] = child.stdio as unknown as [
    Writable | null,
    Readable | null,
    Readable,
    Readable,
  ];
  stdin?.on("error", () => {});
  const output = pipedOutput({ stdout, stderr }, streams, ended);
  const adopted = options.adopt(child.pid);
  const [word, number] = await Promise.race([new FrameReader(said).readTexts(), failed]) ?? [];
  said.destroy();
  await adopted;
  const pid = word === "pid" ? Number(number) : 0;
  if (pid === 0) {
    stdin?.destroy();
    throw runtimeError(runtime.name, await output.errors());
  }
  child.unref();
  const attachment = {
    output: output.frames,
    input: inputOf(stdin, ended),
    close: () => (stdin?.end(), output.close()),
  };
  return { pid, supervisor: child.pid, ended, attachment };
}

function helperArgs({ runtime, containerID, paths, streams }: PipedOptions): string[] {
  const exec = ["exec", "--detach", "--pid-file", paths.pidFile, "--process", paths.process, containerID];
  return perlArguments(EXEC_PROGRAM, "Exec", [
    join("exit", containerID),
    streams.isMerged ? "1" : "0",
    ...commandOf(runtime),
    ...exec,
  ]);
}

function inputOf(stdin: Writable | null, ended: Promise<void>): WritableStream<Uint8Array> {
  // With the process the reader of its input goes: what is still to come has nowhere to go, which is no error.
  void ended.then(() => stdin?.destroy());
  return new WritableStream<Uint8Array>({
    write: async (chunk) => void (stdin && await writeAll(stdin, chunk)),
    close: () => void stdin?.end(),
    abort: () => void stdin?.end(),
  });
}
