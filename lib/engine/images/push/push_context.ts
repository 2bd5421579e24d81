import type { Descriptor } from "../../../oci/descriptor.ts";
import type { ManifestFormat } from "../../../oci/manifest_writer.ts";
import type { Reference } from "../../../oci/reference.ts";
import type { RegistryWriter } from "../../../oci/registry/registry_writer.ts";
import { EngineError } from "../../errors.ts";
import type { BlobPlaces } from "../store/blob_places.ts";
import type { Intake } from "../ingest/ingest.ts";
import type { PushOptions, PushProgress } from "../types.ts";

/** How a push changes what it sends. */
export interface PushChoice {
  format?: ManifestFormat;
  compression?: "gzip" | "zstd";
  level?: number;
  force: boolean;
}

/** The context of one push, whatever it sends. */
export interface PushContext extends Intake {
  writer: RegistryWriter;
  /** The name, with tag or digest, that it gets. */
  target: Reference;
  choice: PushChoice;
  /** The repositories where blobs were seen before, and where this push sees them. */
  places: BlobPlaces;
  tell(progress: PushProgress): void;
}

/** A manifest to push, and where its content is. */
export interface PushSource {
  bytes: Uint8Array;
  mediaType: string;
  digest: string;
  /** A blob of it, from a byte on. */
  open(descriptor: Descriptor, offset: number): Promise<ReadableStream<Uint8Array>>;
  /** Repositories of the target's registry that may have a blob, besides those where blobs were seen. */
  mountFrom(digest: string): readonly string[];
}

/** The choices of a push. Throws `EngineError("invalid")` where they do not fit together. */
export function choiceOf({ format, compression, compressionLevel: level, forceCompression }: PushOptions): PushChoice {
  if (format === "docker" && compression === "zstd") {
    throw new EngineError(
      "invalid",
      "Docker's manifest format v2s2 has no layers compressed with zstd: use format oci",
    );
  }
  if (level !== undefined && compression !== "zstd" && (level < -1 || level > 9)) {
    throw new EngineError("invalid", `invalid compression level ${level}: gzip has -1 to 9`);
  }
  if (level !== undefined && compression === "zstd" && (level < 1 || level > 22)) {
    throw new EngineError("invalid", `invalid compression level ${level}: zstd has 1 to 22`);
  }
  return {
    ...(format === undefined ? {} : { format }),
    ...(compression === undefined ? {} : { compression }),
    ...(level === undefined ? {} : { level }),
    force: forceCompression ?? compression !== undefined,
  };
}
