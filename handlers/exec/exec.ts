import type { Engine } from "../../lib/engine/engine.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { NATIVE_ATTACH } from "../containers/attach.ts";
import { implementFamily } from "../implement_family.ts";
import { execAPI } from "./api.ts";
import { createExec } from "./create.ts";
import { inspectExec } from "./inspect.ts";
import { resizeExec } from "./resize.ts";
import { startExec, startExecSocket } from "./start.ts";

/** The native exec operations over an engine. */
export function implementExec(engine: Engine): Implementation {
  return implementFamily(execAPI, {
    ExecCreateHandler: (name, config) => createExec(engine, name, config),
    ExecStartHandler: (id, config, context) =>
      startExec(engine, id, config, context, { since: NATIVE_ATTACH.framedSince }),
    ExecWebSocket: (id, query, context) => startExecSocket(engine, id, query, context),
    ExecResizeTTY: (id, query) => resizeExec(engine, id, query),
    ExecInspectHandler: (id) => inspectExec(engine, id),
    ExecRemoveHandler: (id, { Force }) => engine.containers.execs.remove(id, { force: Force }),
  });
}
