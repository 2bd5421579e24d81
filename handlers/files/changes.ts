import type { ChangesOptions } from "../../lib/engine/containers/files/diff.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { Change, type ChangesQuery } from "../wire/files/file.ts";
import { emit } from "../wire/emit.ts";
import { RequestError } from "../request_error.ts";

const KINDS = { modified: 0, added: 1, deleted: 2 } as const;
const TYPES: Record<string, ChangesOptions["kind"]> = {
  all: undefined,
  container: "container",
  image: "image",
};

/**
 * Yields the changes of a container or an image, as a JSON array of {@linkcode Change}; null, as Go writes an empty list, where
 * there are none. A container can make millions: the text is written as they are found.
 */
export async function* streamChanges(
  engine: Engine,
  of: string,
  { parent, diffType = "all" }: ChangesQuery,
): AsyncGenerator<string, void, undefined> {
  if (!Object.hasOwn(TYPES, diffType)) throw new RequestError("malformed", `invalid diffType value "${diffType}"`);
  let separator = "[";
  for await (const some of engine.containers.files.changes({ of, parent, kind: TYPES[diffType] })) {
    yield separator + some.map(({ path, kind }) => JSON.stringify(viewChange(path, kind))).join();
    separator = ",";
  }
  yield separator === "[" ? "null" : "]";
}

function viewChange(path: string, kind: keyof typeof KINDS): Change {
  return emit(Change, { Path: path, Kind: KINDS[kind] });
}
