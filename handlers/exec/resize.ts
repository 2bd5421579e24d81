import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";

/** Sets the size of a session's terminal. With `running` a session that does not run is no error. */
export async function resizeExec(
  engine: Engine,
  id: string,
  { h = 0, w = 0, running = false }: { h?: number; w?: number; running?: boolean },
): Promise<void> {
  try {
    await engine.containers.execs.resize(id, { height: h, width: w });
  } catch (error) {
    if (!running || !(error instanceof EngineError) || error.code !== "state") throw error;
  }
}
