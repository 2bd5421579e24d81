import type { Operations, Tagged } from "../../rest/mod.ts";

/** Names the paths of operations as Podman does, which knows no `/engine`. */
export function inLibpod<D extends Operations>(operations: D): D {
  const renamed = Object.entries(operations).map(([name, one]) => {
    const { tag } = one as Tagged;
    return [name, { ...one, tag: tag.replace(" /engine/", " /libpod/") }];
  });
  // The same operations by the same names.
  return Object.fromEntries(renamed) as D;
}
