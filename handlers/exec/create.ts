import type { Engine } from "../../lib/engine/engine.ts";
import type { ExecConfig } from "../../lib/engine/containers/exec/session.ts";
import { emit } from "../wire/emit.ts";
import { type ExecCreateConfig, IDResponse } from "../wire/exec/exec.ts";
import { terminalSize } from "./terminal_size.ts";
import { RequestError } from "../request_error.ts";

/** Makes an exec session in a running container, of the tree's own choices. */
export async function createExec(
  engine: Engine,
  name: string,
  config: ExecCreateConfig,
  choices: Pick<ExecConfig, "whileStopping"> = {},
): Promise<IDResponse> {
  const id = await engine.containers.execs.create(name, {
    ...choices,
    command: config.Cmd ?? [],
    env: (config.Env ?? []).map(checkEntry),
    user: config.User || undefined,
    workdir: config.WorkingDir || undefined,
    terminal: config.Tty,
    privileged: config.Privileged,
    attachStdin: config.AttachStdin,
    attachStdout: config.AttachStdout,
    attachStderr: config.AttachStderr,
    detachKeys: config.DetachKeys || undefined,
    size: terminalSize(config.ConsoleSize),
  });
  return emit(IDResponse, { Id: id });
}

function checkEntry(entry: string): string {
  if (entry.includes("=")) return entry;
  throw new RequestError("malformed", `environment variable "${entry}" badly formed, must be key=value`);
}
