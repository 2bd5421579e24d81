import type { Engine } from "../../../lib/engine/engine.ts";
import { formatReference, normaliseReference } from "../../../lib/oci/reference.ts";

/**
 * Returns the full name that a Docker client means: `alpine` is `docker.io/library/alpine`, whatever the host prefers. An engine
 * without `dockerHub` gets the name as it is, and takes it for what the native tree takes it for.
 */
export function dockerName({ dockerHub }: Pick<Engine, "dockerHub">, name: string): string {
  if (!dockerHub) return name;
  try {
    return formatReference(normaliseReference(name));
  } catch {
    // An ID, or no name at all: who looks it up will tell.
    return name;
  }
}

/** Returns the engine's name for a Docker client's: the full name where there is such an image, else the name as it is. */
export function localName(engine: Engine, name: string): string {
  const full = dockerName(engine, name);
  return engine.images.exists(full) ? full : name;
}
