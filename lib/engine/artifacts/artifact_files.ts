import type { Descriptor } from "../../oci/descriptor.ts";
import type { ArtifactRecord } from "../records/artifact_record.ts";
import { EngineError } from "../errors.ts";
import type { ArtifactFile } from "../ports/host_port.ts";
import type { Blobs } from "../ports/ports.ts";
import { TITLE } from "./add.ts";

/** Which of an artifact's files are meant; neither: all of them. */
export interface FileChoice {
  digest?: string;
  title?: string;
}

/** The one file that a choice fits. Throws `invalid` where that is none or several. */
export function chooseFile(layers: readonly Descriptor[], { digest = "", title = "" }: FileChoice): Descriptor {
  const found = layers.filter((layer) =>
    digest === "" ? layer.annotations?.[TITLE] === title : layer.digest === digest
  );
  const what = digest === "" ? `title "${title}"` : `digest "${digest}"`;
  if (found.length === 0) throw new EngineError("invalid", `no blob with the ${what}`);
  if (found.length > 1) throw new EngineError("invalid", `more than one match for the ${what}`);
  return found[0];
}

/** A file's title, which may not lead anywhere else; its digest where it has none. */
export function fileName(title: string, digest: string): string {
  const name = title === "" ? digest.replaceAll(":", "-") : title;
  if (!name.includes("/") && name !== "." && name !== "..") return name;
  const sentinel = "artifact blob title invalid";
  throw new EngineError("invalid", `invalid name: "${name.slice(0, 200)}" cannot contain /: ${sentinel}`, { sentinel });
}

/** The host's files that an artifact's are. Throws `invalid` as {@linkcode chooseFile} does, `unsupported` without such files. */
export async function artifactFiles(
  blobs: Blobs,
  { manifest: { layers } }: ArtifactRecord,
  choice: FileChoice,
): Promise<ArtifactFile[]> {
  if (choice.digest && choice.title) throw new EngineError("invalid", "cannot specify both digest and title");
  const chosen = choice.digest || choice.title ? [chooseFile(layers, choice)] : layers;
  return await Promise.all(chosen.map(async ({ digest, annotations }) => {
    const place = await blobs.file?.(digest);
    if (place === undefined) throw new EngineError("unsupported", `Mount ${digest}: it is no file of this host`);
    return { name: fileName(annotations?.[TITLE] ?? "", digest), ...place };
  }));
}
