import type { ArtifactRecord } from "../../lib/engine/records/artifact_record.ts";
import type { AddArtifactOptions } from "../../lib/engine/artifacts/add.ts";
import type { AddArtifactQuery } from "../wire/artifacts/artifact.ts";
import { RequestError } from "../request_error.ts";

/** Reads what an addition asks for, adds, and tells the digest of what the artifact is now. */
export async function addFile(
  query: AddArtifactQuery,
  add: (name: string, fileName: string, options: AddArtifactOptions) => Promise<ArtifactRecord>,
): Promise<{ ArtifactDigest: string }> {
  const { name = "", fileName = "", append, replace, artifactMIMEType: type, fileMIMEType: fileType } = query;
  if (name === "" || fileName === "") throw new RequestError("malformed", "name and file parameters are required");
  if (append && type) throw new RequestError("refused", "append option is not compatible with type option");
  if (append && replace) throw new RequestError("refused", "append and replace options are mutually exclusive");
  const annotations = parseAnnotations(query.annotations);
  const { digest } = await add(name, fileName, { append, replace, type, fileType, annotations });
  return { ArtifactDigest: digest };
}

function parseAnnotations(pairs: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new RequestError("malformed", `invalid annotation "${pair}": must be key=value`);
  }));
}
