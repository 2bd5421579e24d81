import type { ExecSession } from "../../../lib/engine/containers/exec/session.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { COMPAT_ATTACH } from "../../containers/attach.ts";
import { createExec } from "../../exec/create.ts";
import { inspectExec } from "../../exec/inspect.ts";
import { resizeExec } from "../../exec/resize.ts";
import { startExec } from "../../exec/start.ts";
import { implementFamily } from "../../implement_family.ts";
import { compatExecAPI } from "./api.ts";

/** Docker's code for whatever keeps a command from running, but for its absence (daemon/exec.go, `ContainerExecStart`). */
const CANNOT_RUN = 126;
/** Podman's code for what failed before the runtime came to the command: a user that does not exist, say. */
const FAILED = 125;

/** The exec operations of Docker's tree over an engine. */
export function compatExec(engine: Engine): Implementation {
  return implementFamily(compatExecAPI, {
    CompatExecCreateHandler: (name, config) => createExec(engine, name, config, { whileStopping: true }),
    CompatExecStartHandler: (id, config, context) => {
      // The start's own word says how its client reads, whether or not the session has a terminal.
      return startExec(engine, id, config, context, { since: COMPAT_ATTACH.framedSince, framed: !config.Tty });
    },
    CompatExecResizeTTY: (id, query) => resizeExec(engine, id, query),
    CompatExecInspectHandler: (id) => {
      const session = inspectExec(engine, id);
      return { ...session, ExitCode: session.CanRemove ? dockerExitCode(engine.containers.execs.inspect(id)) : null };
    },
  });
}

function dockerExitCode({ exitCode, isUnstarted }: ExecSession): number {
  return isUnstarted && exitCode === FAILED ? CANNOT_RUN : exitCode;
}
