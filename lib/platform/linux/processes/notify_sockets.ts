import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { NotifySocket, NotifySockets } from "../../../engine/ports/unit_port.ts";
import { type HostPaths, notifyFolder } from "../helpers/paths.ts";
import { findProgram } from "../helpers/programs.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../helpers/spawn.ts";
import { fieldText, FrameReader } from "../perl/frames.ts";
import { NOTIFY_PROGRAM, perlArguments } from "../perl/programs.ts";

const TASK = "Open a socket for messages";

/** Sockets of sd_notify(3), each with a helper of its own that receives its datagrams. */
export function notifySockets(paths: HostPaths): NotifySockets {
  return { open: (name) => openSocket(notifyFolder(paths, name)) };
}

async function openSocket(folder: string): Promise<NotifySocket> {
  const perl = await findProgram("perl");
  if (perl === undefined) throw new EngineError("unsupported", `${TASK}: perl is not installed`);
  // Others of the host do not get into the outer one: containers have theirs mounted.
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await rm(join(folder, "notify.sock"), { force: true });
  const args = perlArguments(NOTIFY_PROGRAM, TASK, [folder]);
  const child = startPipedProgram(perl, args, { cwd: "/", env: HELPER_ENVIRONMENT });
  let errors = "";
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("error", ({ message }) => errors ||= message);
  child.stdin.on("error", () => {});
  child.stderr.on("data", (chunk: Uint8Array) => errors = (errors + new TextDecoder().decode(chunk)).slice(-4096));
  const frames = new FrameReader(child.stdout);
  if ((await frames.readTexts())?.[0] !== "ready") {
    await closed;
    throw new EngineError("internal", `${TASK}: ${errors.trim() || "the helper ended"}`);
  }
  return {
    folder,
    messages: readMessages(frames),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      // It may be waiting for a reader of what it has to tell.
      child.stdout.destroy();
      await closed;
    },
  };
}

async function* readMessages(frames: FrameReader): AsyncGenerator<string> {
  for (let fields = await frames.read(); fields !== undefined; fields = await frames.read()) {
    yield fieldText(fields[1]);
  }
}
