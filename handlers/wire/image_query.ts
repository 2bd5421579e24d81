/**
 * The queries of the native image operations.
 *
 * @module
 */
import { filters, flag } from "./query.ts";
import { z } from "./zod.ts";

const optionalFlag = flag.optional();

export const ListImagesQuery = z.object({
  all: optionalFlag,
  digests: optionalFlag,
  filter: z.string().optional(),
  "shared-size": optionalFlag,
  filters: filters.optional(),
});

export const PullQuery = z.object({
  reference: z.string().optional(),
  allTags: optionalFlag,
  compatMode: optionalFlag,
  pullProgress: optionalFlag,
  policy: z.string().optional(),
  quiet: optionalFlag,
  tlsVerify: optionalFlag,
  retry: z.int().optional(),
  retrydelay: z.string().optional(),
  Arch: z.string().optional(),
  OS: z.string().optional(),
  Variant: z.string().optional(),
});
export type PullQuery = z.output<typeof PullQuery>;

export const RemoveImageQuery = z.object({ force: optionalFlag, ignore: optionalFlag, lookupManifest: optionalFlag });

export const RemoveImagesQuery = z.object({
  all: optionalFlag,
  force: optionalFlag,
  ignore: optionalFlag,
  lookupManifest: optionalFlag,
  noprune: optionalFlag,
  images: z.array(z.string()).optional(),
});

export const TagQuery = z.object({ repo: z.string().optional(), tag: z.string().optional() });
