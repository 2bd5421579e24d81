/**
 * Content descriptors, OCI image-spec "descriptor".
 *
 * @module
 */
import { isDigest } from "./digest.ts";
import { isObject, type JSONObject, stringMap } from "./json.ts";
import { parsePlatform, type Platform } from "./platform.ts";

/** A manifest's description of a piece of content. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  /** In bytes. */
  size: number;
  urls?: string[];
  annotations?: Record<string, string>;
  /** Base64 of the content itself. */
  data?: string;
  artifactType?: string;
  /** Of a manifest in an index. */
  platform?: Platform;
}

/** Reads a descriptor; `where` names it in errors. Throws `SyntaxError`. */
export function parseDescriptor(value: unknown, where: string): Descriptor {
  if (!isObject(value)) throw new SyntaxError(`Parse manifest: ${where} is not a descriptor`);
  const { mediaType, digest, size } = value;
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw new SyntaxError(`Parse manifest: ${where} has no valid digest`);
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw new SyntaxError(`Parse manifest: ${where} has no valid size`);
  }
  if (mediaType !== undefined && typeof mediaType !== "string") {
    throw new SyntaxError(`Parse manifest: ${where} has no valid media type`);
  }
  return { mediaType: mediaType ?? "", digest, size, ...readOptional(value, where) };
}

function readOptional(value: JSONObject, where: string): Partial<Descriptor> {
  const rest: Partial<Descriptor> = {};
  const annotations = stringMap(value.annotations, `Parse manifest: ${where} annotations`);
  if (annotations !== undefined) rest.annotations = annotations;
  if (Array.isArray(value.urls)) rest.urls = value.urls.filter((url) => typeof url === "string");
  if (typeof value.data === "string") rest.data = value.data;
  if (typeof value.artifactType === "string") rest.artifactType = value.artifactType;
  if (isObject(value.platform)) rest.platform = parsePlatform(value.platform);
  return rest;
}
