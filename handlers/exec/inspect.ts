import type { Engine } from "../../lib/engine/engine.ts";
import { emit } from "../wire/emit.ts";
import { InspectExecSession } from "../wire/exec/exec.ts";

/** Tells all there is to know of a session. */
export function inspectExec(engine: Engine, id: string): InspectExecSession {
  const { containerID, config, status, pid, exitCode } = engine.containers.execs.inspect(id);
  const [entrypoint = "", ...args] = config.command;
  return emit(InspectExecSession, {
    CanRemove: status === "exited",
    ContainerID: containerID,
    DetachKeys: config.detachKeys ?? "",
    ExitCode: exitCode,
    ID: id,
    OpenStderr: config.attachStderr,
    OpenStdin: config.attachStdin,
    OpenStdout: config.attachStdout,
    Running: status === "running",
    Pid: pid,
    ProcessConfig: {
      arguments: args.length > 0 ? args : null,
      entrypoint,
      privileged: config.privileged,
      tty: config.terminal,
      user: config.user ?? "",
    },
  });
}
