import type { Engine } from "../../../lib/engine/engine.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { COMPAT_ATTACH } from "../../containers/attach.ts";
import { createExec } from "../../exec/create.ts";
import { inspectExec } from "../../exec/inspect.ts";
import { resizeExec } from "../../exec/resize.ts";
import { startExec } from "../../exec/start.ts";
import { implementFamily } from "../../implement_family.ts";
import { compatExecAPI } from "./api.ts";

/** The exec operations of Docker's tree over an engine. */
export function compatExec(engine: Engine): Implementation {
  return implementFamily(compatExecAPI, {
    CompatExecCreateHandler: (name, config) => createExec(engine, name, config),
    CompatExecStartHandler: (id, config, context) => startExec(engine, id, config, context, COMPAT_ATTACH.framedSince),
    CompatExecResizeTTY: (id, query) => resizeExec(engine, id, query),
    CompatExecInspectHandler: (id) => {
      const { ExitCode, ...session } = inspectExec(engine, id);
      return { ...session, ExitCode: session.CanRemove ? ExitCode : null };
    },
  });
}
