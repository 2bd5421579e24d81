import type { Descriptor } from "../../../oci/descriptor.ts";
import { MANIFEST_LIMITS, parseManifest } from "../../../oci/manifest.ts";
import { parseReference } from "../../../oci/reference.ts";
import { readStream } from "../../../oci/registry/body.ts";
import { EngineError } from "../../errors.ts";
import type { Catalogue } from "../store/catalogue.ts";
import { admit, type Intake } from "../ingest/ingest.ts";
import type { PushSource } from "./push_context.ts";

/**
 * A manifest of the store as the source of a push, its content claimed. `registry` is where it goes: repositories there that an
 * image with the same content came from can give it.
 *
 * Throws `EngineError("internal")` when its bytes are not there.
 */
export async function localSource(
  intake: Intake,
  { digest, mediaType }: Pick<Descriptor, "digest" | "mediaType">,
  registry: string,
): Promise<PushSource> {
  const { blobs } = intake.core.ports;
  const open = async ({ digest }: Pick<Descriptor, "digest">, start: number) => {
    await admit(intake, `blob:${digest}`);
    const stream = await blobs.open(digest, { start });
    if (stream === undefined) throw new EngineError("internal", `Read ${digest}: its blob is not in the store`);
    return stream;
  };
  const bytes = await readStream(await open({ digest }, 0), MANIFEST_LIMITS.bytes);
  const manifest = parseManifest(bytes, mediaType);
  if (manifest.kind === "manifest") {
    for (const part of [manifest.config, ...manifest.layers]) await admit(intake, `blob:${part.digest}`);
  }
  return { bytes, mediaType, digest, open, mountFrom: (blob) => repositoriesWith(intake.catalogue, registry, blob) };
}

/** Repositories of a registry that images with this blob are known to come from. */
function repositoriesWith(catalogue: Catalogue, registry: string, digest: string): string[] {
  const found = new Set<string>();
  for (const image of catalogue.values()) {
    if (digest !== `sha256:${image.id}` && !image.layers.some((layer) => layer.digest === digest)) continue;
    for (const name of image.repoDigests) {
      const { domain, path } = parseReference(name);
      if (domain === registry) found.add(path);
    }
  }
  return [...found];
}
