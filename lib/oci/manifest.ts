/**
 * Image manifests and indexes: OCI image-spec "manifest" and "image-index", Docker "Image Manifest V 2, Schema 2".
 *
 * @module
 */
import { type Descriptor, parseDescriptor } from "./descriptor.ts";
import { type JSONObject, parseObject, stringMap } from "./json.ts";
import { isIndexType, isManifestType, MEDIA_TYPE } from "./media_type.ts";

/** One image's (or artifact's) manifest. */
export interface Manifest {
  kind: "manifest";
  mediaType: string;
  config: Descriptor;
  /** From base to top. */
  layers: Descriptor[];
  annotations: Record<string, string>;
  artifactType?: string;
  subject?: Descriptor;
}

/** An OCI index or Docker manifest list. */
export interface Index {
  kind: "index";
  mediaType: string;
  manifests: Descriptor[];
  annotations: Record<string, string>;
  artifactType?: string;
  subject?: Descriptor;
}

/** Bounds on a manifest. */
export const MANIFEST_LIMITS = {
  /** Bytes; what distribution registries accept. */
  bytes: 4 * 1024 * 1024,
  depth: 32,
  /** Layers of a manifest. Overlay mounts 127 at most, so more could not be run; artifacts may hold many files. */
  layers: 1024,
  /** Manifests of an index. */
  manifests: 4096,
} as const;

/**
 * Parses a manifest or index. `mediaType` is what the registry called it (`Content-Type`, or the descriptor's); when it is
 * empty or generic, the document's own `mediaType`, or else its fields, decide.
 *
 * Throws `SyntaxError` for anything that is not a schema 2 manifest or index, and `RangeError` past {@linkcode MANIFEST_LIMITS}.
 */
export function parseManifest(bytes: Uint8Array, mediaType = ""): Manifest | Index {
  const document = parseObject(bytes, "Parse manifest", MANIFEST_LIMITS);
  const type = decideType(document, mediaType);
  return isIndexType(type) ? readIndex(document, type) : readManifest(document, type);
}

function decideType(document: JSONObject, stated: string): string {
  const own = typeof document.mediaType === "string" ? document.mediaType : "";
  if (document.schemaVersion === 1 || [own, stated].some(isSchema1)) {
    throw new SyntaxError("Parse manifest: Docker schema 1 images are not supported: rebuild or re-push the image");
  }
  if (document.schemaVersion !== 2) throw new SyntaxError("Parse manifest: schema version is not 2");
  // Both lists at once is how one document passes for two (CVE-2021-41190).
  if (document.manifests !== undefined && (document.layers !== undefined || document.config !== undefined)) {
    throw new SyntaxError("Parse manifest: it is both a manifest and an index");
  }
  const known = (type: string) => isIndexType(type) || isManifestType(type);
  if (known(own) && known(stated) && own !== stated) {
    throw new SyntaxError(`Parse manifest: it says "${own}", its source "${stated}"`);
  }
  const type = known(own) ? own : known(stated) ? stated : guessType(document);
  if (type === undefined) throw new SyntaxError(`Parse manifest: unsupported media type "${own || stated}"`);
  return type;
}

function guessType(document: JSONObject): string | undefined {
  if (Array.isArray(document.manifests)) return MEDIA_TYPE.ociIndex;
  return Array.isArray(document.layers) ? MEDIA_TYPE.ociManifest : undefined;
}

function isSchema1(type: string): boolean {
  return type === MEDIA_TYPE.dockerSchema1 || type === MEDIA_TYPE.dockerSchema1Signed;
}

function readManifest(document: JSONObject, mediaType: string): Manifest {
  if (document.manifests !== undefined) throw new SyntaxError("Parse manifest: it is an index, not a manifest");
  const config = parseDescriptor(document.config, "config");
  const layers = readDescriptors(document.layers, "layer", MANIFEST_LIMITS.layers);
  return { kind: "manifest", mediaType, config, layers, ...readCommon(document) };
}

function readIndex(document: JSONObject, mediaType: string): Index {
  if (document.layers !== undefined) throw new SyntaxError("Parse manifest: it is a manifest, not an index");
  const manifests = readDescriptors(document.manifests, "manifest", MANIFEST_LIMITS.manifests);
  return { kind: "index", mediaType, manifests, ...readCommon(document) };
}

function readDescriptors(value: unknown, what: string, limit: number): Descriptor[] {
  // Go writes an empty list as null.
  if (value === null) return [];
  if (!Array.isArray(value)) throw new SyntaxError(`Parse manifest: no list of ${what}s`);
  if (value.length > limit) throw new RangeError(`Parse manifest: more than ${limit} ${what}s`);
  return value.map((item, i) => parseDescriptor(item, `${what} ${i}`));
}

function readCommon(document: JSONObject): Pick<Manifest, "annotations" | "artifactType" | "subject"> {
  const { artifactType, subject } = document;
  return {
    annotations: stringMap(document.annotations, "Parse manifest: annotations") ?? {},
    ...(typeof artifactType === "string" && artifactType !== "" ? { artifactType } : {}),
    ...(subject === undefined || subject === null ? {} : { subject: parseDescriptor(subject, "subject") }),
  };
}
