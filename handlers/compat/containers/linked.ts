import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { RequestError } from "../../request_error.ts";
import type { CreateContainerConfig } from "../../wire/compat/container_create.ts";

/** Words for the default network, the only one whose links Docker looks up when a container is made. */
const DEFAULT_MODES = new Set(["", "default", "bridge"]);

/** Throws a 400 for a link to a container that is not there: a 404 would have the client look for the image. */
export function requireLinked(
  { containers }: Engine,
  { HostConfig: { Links, NetworkMode } }: CreateContainerConfig,
): void {
  if (!DEFAULT_MODES.has(NetworkMode)) return;
  for (const link of Links ?? []) {
    const [name = ""] = link.replace(/^\//, "").split(":");
    try {
      containers.resolve(name);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "no_such_container") throw error;
      throw new RequestError("malformed", `could not get container for ${name}: No such container: ${name}`);
    }
  }
}
