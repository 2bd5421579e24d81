import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";

/**
 * Starts a container. One that is to go when it ends goes when it cannot start, too: Docker's client leaves that to the
 * service and waits for it.
 */
export async function compatStartContainer({ containers }: Engine, name: string): Promise<void> {
  try {
    await containers.start(name);
  } catch (error) {
    if (isFailure(error) && containers.exists(name)) {
      const { id, spec, state } = containers.resolve(name);
      if (spec.remove && state.pid === 0) await containers.remove(id, { force: true, volumes: true, ignore: true });
    }
    throw error;
  }
}

/** Whether an error means that a container which is there could not be started. */
function isFailure(error: unknown): boolean {
  return !(error instanceof EngineError) || !["unchanged", "unsupported", "ambiguous"].includes(error.code);
}
