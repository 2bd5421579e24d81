import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";

/**
 * Starts a container. One that is to go when it ends goes when it cannot start, too: Docker's client leaves that to the
 * service and waits for it.
 */
export async function compatStartContainer({ containers }: Engine, name: string): Promise<void> {
  const { id, spec } = containers.resolve(name);
  try {
    await containers.start(id);
  } catch (error) {
    const isFailure = !(error instanceof EngineError) || (error.code !== "unchanged" && error.code !== "unsupported");
    if (isFailure && spec.remove && containers.resolve(id).state.pid === 0) {
      await containers.remove(id, { force: true, volumes: true, ignore: true });
    }
    throw error;
  }
}
