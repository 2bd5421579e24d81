import type { Descriptor } from "../../oci/descriptor.ts";
import type { ImageConfig } from "../../oci/image_config.ts";
import { parseReference, repositoryName as repositoryOf } from "../../oci/reference.ts";

/** An image as stored: what a manifest and its config say, and the names it goes by. */
export interface ImageRecord {
  /** Hex of the config's digest: 64 digits. */
  id: string;
  /** `sha256:…` of the manifest it was pulled with. */
  digest: string;
  /** Media type of that manifest. */
  mediaType: string;
  /** Every manifest (or index) digest it is known by, with the repository: `docker.io/library/x@sha256:…`. */
  repoDigests: string[];
  /** Normalised names: `docker.io/library/busybox:latest`, or `…@sha256:…` when pulled by digest; empty when dangling. */
  names: string[];
  /** Names it went by and lost. */
  history: string[];
  /** ISO 8601, when it came here. */
  pulledAt: string;
  /** Compressed blobs from base to top, as in the manifest. */
  layers: { digest: string; size: number; mediaType: string; diffID: string }[];
  /** Unpacked bytes over all layers (compressed bytes where nothing is unpacked). */
  size: number;
  config: ImageConfig;
  /** Annotations of the manifest. */
  annotations: Record<string, string>;
  /** ID of the image below, where a commit or a build that keeps its steps' images made this one here; it may be gone since. */
  parent?: string;
  /** The content of a manifest list; only lists have it, and they have no layers and no config to speak of. */
  list?: ImageList;
}

/** One entry of a manifest list. */
export interface ListEntry extends Descriptor {
  /** The repository its content is in, `quay.io/team/app`, where the store does not hold it. */
  source?: string;
  /** Digests of its content that the store holds: manifest, config, layers. */
  blobs?: string[];
  /** Names of the files an artifact was made of. */
  files?: string[];
}

/** The content of a manifest list. */
export interface ImageList {
  entries: ListEntry[];
  annotations: Record<string, string>;
  subject?: Descriptor;
}

/** An image's names with tags, which is what `RepoTags` shows; its other names are digests. */
export function repoTags({ names }: Pick<ImageRecord, "names">): string[] {
  return names.filter((name) => !name.includes("@"));
}

/** The digests an image is known by, under each repository it has a name in: what `RepoDigests` shows. */
export function repoDigests({ names, digest, repoDigests }: ImageRecord): string[] {
  const digests = new Set([...repoDigests.map((name) => name.slice(name.indexOf("@") + 1)), digest]);
  const repositories = new Set(names.map((name) => repositoryOf(parseReference(name))));
  return [...repositories].flatMap((repository) => [...digests].map((digest) => `${repository}@${digest}`));
}

/** Compares images by the time that they came. */
export function byArrival(a: Pick<ImageRecord, "pulledAt">, b: Pick<ImageRecord, "pulledAt">): number {
  // Times of one form and zone: their texts have their order.
  return a.pulledAt < b.pulledAt ? -1 : a.pulledAt > b.pulledAt ? 1 : 0;
}
