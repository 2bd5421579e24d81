import {
  formatReference,
  normaliseReference,
  parseReference,
  type Reference,
  repositoryName as repositoryOf,
  withDefaultTag,
} from "../../../oci/reference.ts";
import type { RegistriesConf } from "../../../oci/registry/registries_conf.ts";
import { isShortName, localCandidates } from "../../../oci/registry/short_name.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Catalogue } from "./catalogue.ts";
import { unknownImage } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { isID, isSHA256 } from "../../../oci/digest.ts";

/** An image, and what the text that found it means. */
export interface Found {
  image: Readonly<ImageRecord>;
  /** A normalised name, or the ID or digest as it was given. */
  name: string;
  by: "name" | "id" | "digest";
}

/**
 * Finds an image as Podman does: by full ID or digest, by name (short names as aliases, `localhost/`, the search registries
 * and Docker Hub), by the beginning of an ID, and last by a short name that ends some image's repository.
 *
 * Throws `EngineError`: `no_such_image`, `ambiguous` for an ID prefix of several, `invalid` for what does not parse.
 */
export function findImage(catalogue: Catalogue, conf: RegistriesConf, text: string): Found {
  const direct = text.startsWith("sha256:") ? byDigest(catalogue, text) : byID(catalogue, text);
  if (direct) return direct;
  const isHex = /^[0-9a-f]{1,64}$/.test(text);
  const found = byName(catalogue, conf, text, isHex) ?? (isHex ? byPrefix(catalogue, text) : undefined) ??
    byEnding(catalogue, text);
  if (found) return found;
  throw unknownImage(text);
}

/** Parses a name or throws `EngineError("invalid")`. A tag beside a digest counts for nothing. */
export function parseName(text: string): Reference {
  try {
    return withoutIdleTag(parseReference(text));
  } catch (error) {
    throw invalidName(text, error);
  }
}

/**
 * The full name that a tag given to an image means: without a registry it is under `localhost/`, without a tag `latest`.
 * Throws `EngineError("invalid")`, also for a digest.
 */
export function nameForTag(text: string): string {
  const parsed = parseName(text);
  if (parsed.digest !== undefined || text.startsWith("sha256:")) {
    throw new EngineError("invalid", `${text}: tag by digest not supported`);
  }
  return formatReference(withDefaultTag(normaliseReference(text, { defaultDomain: "localhost" })));
}

/** As {@linkcode nameForTag}, for a name in an archive: it may end in a digest instead of a tag. */
export function nameForArchive(text: string): string {
  const reference = normaliseReference(formatReference(parseName(text)), { defaultDomain: "localhost" });
  return formatReference(withDefaultTag(reference));
}

function byID(catalogue: Catalogue, text: string): Found | undefined {
  const image = catalogue.get(text);
  return image && { image, name: text, by: "id" };
}

function byDigest(catalogue: Catalogue, text: string): Found | undefined {
  if (!isSHA256(text)) {
    throw new EngineError("invalid", `${text}: invalid format: no 64-byte hexadecimal value`);
  }
  const image = catalogue.get(text.slice("sha256:".length)) ?? catalogue.withDigest(text)[0];
  if (!image) throw unknownImage(text);
  return { image, name: text, by: "digest" };
}

function byPrefix(catalogue: Catalogue, text: string): Found | undefined {
  const images = catalogue.withPrefix(text);
  if (images.length > 1) {
    throw new EngineError("ambiguous", `${text}: the prefix of ${images.length} images: image not known`, {
      sentinel: "image not known",
    });
  }
  return images[0] && { image: images[0], name: text, by: "id" };
}

function byName(catalogue: Catalogue, conf: RegistriesConf, text: string, isHex: boolean): Found | undefined {
  // 64 hex digits are an ID and never a name, which the parser would say with an error.
  if (isHex && text.length === 64) return undefined;
  for (const candidate of candidatesOf(conf, text)) {
    const image = imageOf(catalogue, candidate);
    if (!image) continue;
    const name = formatReference(candidate);
    return { image, name, by: image.names.includes(name) ? "name" : "digest" };
  }
}

/** The full names that the text may have in the store, in the order in which it is looked up. */
export function candidatesOf(conf: RegistriesConf, text: string): Reference[] {
  try {
    return localCandidates(conf, formatReference(withoutIdleTag(parseReference(text))));
  } catch (error) {
    throw invalidName(text, error);
  }
}

function imageOf(catalogue: Catalogue, reference: Reference): Readonly<ImageRecord> | undefined {
  const named = catalogue.named(formatReference(reference));
  if (named || reference.digest === undefined) return named;
  const repository = repositoryOf(reference);
  return catalogue.withDigest(reference.digest).find((image) =>
    [...image.names, ...image.repoDigests].some((name) => repositoryOf(parseReference(name)) === repository)
  );
}

function byEnding(catalogue: Catalogue, text: string): Found | undefined {
  if (isID(text) || !isShortName(text)) return undefined;
  const wanted = withDefaultTag(parseName(text));
  for (const image of catalogue.values()) {
    for (const name of image.names) {
      const reference = parseReference(name);
      if (!`/${reference.path}`.endsWith(`/${wanted.path}`)) continue;
      if (wanted.digest === undefined ? reference.tag !== wanted.tag : !hasDigest(image, wanted.digest)) continue;
      return { image, name, by: "name" };
    }
  }
}

function hasDigest(image: ImageRecord, digest: string): boolean {
  return image.digest === digest || image.repoDigests.some((name) => name.endsWith(`@${digest}`));
}

function withoutIdleTag(reference: Reference): Reference {
  if (reference.tag === undefined || reference.digest === undefined) return reference;
  const { tag: _tag, ...rest } = reference;
  return rest;
}

function invalidName(text: string, error: unknown): EngineError {
  const why = messageOf(error);
  return new EngineError("invalid", why === "" ? `Parse reference "${text}"` : why, { cause: error });
}
