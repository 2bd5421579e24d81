import type { Engine } from "../../../lib/engine/engine.ts";
import { isSpokenByPodman } from "../../path_version.ts";
import { familiarName, formatReference, normaliseReference, parseReference } from "../../../lib/oci/reference.ts";

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

/**
 * Returns the function that shows an image's name to a Docker client: `docker.io/library/alpine:3` is `alpine:3`, which that client would mean
 * by it. Podman's service shows the full name, and an engine without `dockerHub` takes a short one for something else.
 */
export function nameShower(
  { dockerHub }: Pick<Engine, "dockerHub">,
  version: string | undefined,
): (name: string) => string {
  if (!dockerHub || isSpokenByPodman(version)) return (name) => name;
  return (name) => {
    try {
      const short = familiarName(parseReference(name));
      // A path that begins as a host does would be taken for one.
      return dockerName({ dockerHub }, short) === name ? short : name;
    } catch {
      return name;
    }
  };
}
