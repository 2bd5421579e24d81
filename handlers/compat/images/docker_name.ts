import type { Engine } from "../../../lib/engine/engine.ts";
import { format, normalise } from "../../../lib/oci/reference.ts";

/** The full name of what a Docker client means: `alpine` is `docker.io/library/alpine:latest`, whatever the host prefers. */
export function dockerName(name: string): string {
  try {
    return format(normalise(name));
  } catch {
    // An ID, or no name at all: who looks it up will tell.
    return name;
  }
}

/** What a Docker client's name stands for here: the full name where there is such an image, else what the engine finds. */
export function localName({ images }: Engine, name: string): string {
  const full = dockerName(name);
  return images.exists(full) ? full : name;
}
