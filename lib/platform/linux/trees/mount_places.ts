import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";

/**
 * The places of mounts as the tree agent reads them: the paths and the folders above them, with the mode and the owner of those
 * that the layers below have. A file that is there is no place: a command may have emptied it.
 *
 * @param layers Folders of unpacked layers, from base to top
 * @param paths Absolute
 */
export function mountPlaces(layers: readonly string[], paths: readonly string[]): string {
  const lines = new Map<string, string>();
  for (const path of paths) {
    const names = path.split("/").filter((name) => name !== "");
    if (names.some((name) => name === ".." || /[\n\t]/.test(name))) continue;
    for (let count = 1; count <= names.length; count++) {
      const place = names.slice(0, count).join("/");
      if (lines.has(place)) continue;
      const facts = findBelow(layers, place);
      if (facts !== undefined && !facts.isDirectory()) break;
      lines.set(place, facts === undefined ? place : `${place}\t${facts.mode & 0o7777}\t${facts.uid}\t${facts.gid}`);
    }
  }
  return [...lines.values()].join("\n");
}

/**
 * Finds a path in the topmost layer that has it. A path that a layer above hides counts as there: its place is kept.
 */
function findBelow(layers: readonly string[], path: string): Stats | undefined {
  for (const layer of layers.toReversed()) {
    // A link of the layer must not lead out of it: the agent finds no place under it either.
    const names = path.split("/");
    const above = names.slice(0, -1).map((_, at) => join(layer, ...names.slice(0, at + 1)));
    if (!above.every((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())) continue;
    const facts = lstatSync(join(layer, path), { throwIfNoEntry: false });
    if (facts !== undefined) return facts;
  }
}
