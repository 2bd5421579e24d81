import type { ChangesOptions } from "../../lib/engine/containers/files/diff.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { HTTPError } from "../../lib/rest/mod.ts";
import { Change, type ChangesQuery } from "../wire/file.ts";
import { emit } from "../wire/emit.ts";

const KINDS = { modified: 0, added: 1, deleted: 2 } as const;
const TYPES: Record<string, ChangesOptions["kind"]> = {
  all: undefined,
  container: "container",
  image: "image",
};

/** What changed in a container or an image; null, as Go writes an empty list, where nothing did. */
export async function changes(
  engine: Engine,
  of: string,
  { parent, diffType = "all" }: ChangesQuery,
): Promise<Change[] | null> {
  if (!Object.hasOwn(TYPES, diffType)) throw new HTTPError(400, `invalid diffType value "${diffType}"`);
  const found = await engine.containers.files.changes({ of, parent, kind: TYPES[diffType] });
  return found.length === 0 ? null : found.map(({ path, kind }) => emit(Change, { Path: path, Kind: KINDS[kind] }));
}
