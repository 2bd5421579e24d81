/**
 * The queries of the native image operations.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

/** The query of `GetImages`. */
export const ListImagesQuery = z.object({
  all: optionalFlag,
  digests: optionalFlag,
  filter: z.string().optional(),
  "shared-size": optionalFlag,
  /** Read by `parseFilters`. */
  filters: z.string().optional(),
});

/** The query of `ImagesPull`. */
export const PullQuery = z.object({
  reference: z.string().optional(),
  allTags: optionalFlag,
  compatMode: optionalFlag,
  pullProgress: optionalFlag,
  policy: z.string().optional(),
  quiet: optionalFlag,
  tlsVerify: optionalFlag,
  retry: z.int().min(0).optional(),
  retrydelay: z.string().optional(),
  Arch: z.string().optional(),
  OS: z.string().optional(),
  Variant: z.string().optional(),
});
export type PullQuery = z.output<typeof PullQuery>;

/** The query of `ImagesRemove`. */
export const RemoveImageQuery = z.object({ force: optionalFlag, ignore: optionalFlag, lookupManifest: optionalFlag });

/** The query of `ImagesBatchRemove`. */
export const RemoveImagesQuery = z.object({
  all: optionalFlag,
  force: optionalFlag,
  ignore: optionalFlag,
  lookupManifest: optionalFlag,
  noprune: optionalFlag,
  images: z.array(z.string()).optional(),
});

/** The query of `TagImage` and `UntagImage`. */
export const TagQuery = z.object({ repo: z.string().optional(), tag: z.string().optional() });

/** The query of `PushImage`. `removeSignatures` needs nothing done: signatures are neither kept nor sent. */
export const PushQuery = z.object({
  all: optionalFlag,
  compressionFormat: z.string().optional(),
  compressionLevel: z.int().optional(),
  forceCompressionFormat: optionalFlag,
  destination: z.string().optional(),
  format: z.string().optional(),
  removeSignatures: optionalFlag,
  retry: z.int().min(0).optional(),
  retryDelay: z.string().optional(),
  tlsVerify: optionalFlag,
  quiet: optionalFlag,
});
export type PushQuery = z.output<typeof PushQuery>;

/** The query of `ExportImage`. */
export const ExportImageQuery = z.object({ compress: optionalFlag, format: z.string().optional() });

/** The query of `ExportImages`. */
export const ExportImagesQuery = z.object({
  compress: optionalFlag,
  format: z.string().optional(),
  ociAcceptUncompressedLayers: optionalFlag,
  references: z.array(z.string()).optional(),
});
export type ExportImagesQuery = z.output<typeof ExportImagesQuery>;

/** The query of `ImagesLocalLoad`. */
export const LocalLoadQuery = z.object({ path: z.string().optional() });

/** The query of `ImagesImport`. */
export const ImportQuery = z.object({
  changes: z.array(z.string()).optional(),
  message: z.string().optional(),
  reference: z.string().optional(),
  URL: z.string().optional(),
  OS: z.string().optional(),
  Architecture: z.string().optional(),
  Variant: z.string().optional(),
});
export type ImportQuery = z.output<typeof ImportQuery>;

/** The query of `ImageTree`. */
export const TreeQuery = z.object({ whatrequires: optionalFlag });

/** The query of `PruneImages`. */
export const PruneImagesQuery = z.object({
  all: optionalFlag,
  external: optionalFlag,
  /** The folders of `RUN --mount=type=cache`, too. */
  buildcache: optionalFlag,
  /** Read by `parseFilters`. */
  filters: z.string().optional(),
});
export type PruneImagesQuery = z.output<typeof PruneImagesQuery>;

/** The query of `SearchImages`, in both trees. */
export const SearchQuery = z.object({
  term: z.string().optional(),
  limit: z.int().min(0).optional(),
  /** Read by `parseFilters`. */
  filters: z.string().optional(),
  tlsVerify: optionalFlag,
  listTags: optionalFlag,
});
export type SearchQuery = z.output<typeof SearchQuery>;

/** The query of `ImageScp`. Nothing but the end is told, quiet or not. */
export const ScpQuery = z.object({ destination: z.string().optional(), quiet: optionalFlag });
