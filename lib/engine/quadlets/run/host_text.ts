import { EngineError } from "../../errors.ts";
import { readStream } from "../../../oci/registry/body.ts";
import type { UnitParts } from "./unit_parts.ts";

/** Bytes of a file with variables, of a document, and of a Dockerfile. */
const FILE_LIMIT = 4 << 20;

/** Reads a file of the host that a unit names. Throws `EngineError`: `invalid`, `limit`, `no_such_file`, `forbidden`. */
export async function readHostFile(parts: UnitParts, path: string): Promise<string> {
  const found = await parts.localFiles().find(path);
  if (found.kind !== "file") throw new EngineError("invalid", `"${path}" is no file`);
  if (found.size > FILE_LIMIT) throw new EngineError("limit", `Read ${path}: larger than ${FILE_LIMIT} bytes`);
  return new TextDecoder().decode(await readStream(await found.open(), FILE_LIMIT));
}
