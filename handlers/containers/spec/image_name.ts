import { EngineError } from "../../../lib/engine/errors.ts";

/** Gives the name back; throws `invalid`, in Podman's words, where it is empty. */
export function requireImage(name: string): string {
  if (name !== "") return name;
  throw new EngineError("invalid", "Create container: must specify image or rootfs: invalid argument", {
    sentinel: "invalid argument",
  });
}
