import { RequestError } from "../../request_error.ts";

/** Gives the name back; throws `invalid`, in Podman's words, where it is empty. */
export function requireImage(name: string): string {
  if (name !== "") return name;
  throw new RequestError("invalid", "Create container: must specify image or rootfs: invalid argument", {
    sentinel: "invalid argument",
  });
}
