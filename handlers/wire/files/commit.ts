/**
 * The requests and answers of commits.
 *
 * @module
 */
import { Config } from "../compat/config.ts";
import { flag, looseFlag } from "../query.ts";
import { z } from "../zod.ts";

/** `manifest.Schema2Config`: what the image is to differ in. */
export const CommitConfig = Config;

/** `entitiesTypes.IDResponse`. */
export const IDResponse = z.object({ Id: z.string() });
export type IDResponse = z.output<typeof IDResponse>;

/** `bindingsImages.BuildResponse`. */
export const BuildResponse = z.object({
  stream: z.string().optional(),
  errorDetail: z.object({ code: z.number().optional(), message: z.string().optional() }).nullish(),
  error: z.string().optional(),
  aux: z.unknown().optional(),
});
export type BuildResponse = z.output<typeof BuildResponse>;

const common = {
  author: z.string().optional(),
  changes: z.array(z.string()).optional(),
  comment: z.string().optional(),
  container: z.string().optional(),
  repo: z.string().optional(),
  tag: z.string().optional(),
};

/** The query of `CommitContainer`. */
export const CommitQuery = z.object({
  ...common,
  format: z.string().optional(),
  pause: flag.optional(),
  squash: flag.optional(),
  stream: flag.optional(),
});
export type CommitQuery = z.output<typeof CommitQuery>;

/** The query of `CompatCommitContainer`. */
export const CompatCommitQuery = z.object({
  ...common,
  pause: looseFlag.optional(),
  squash: looseFlag.optional(),
});
export type CompatCommitQuery = z.output<typeof CompatCommitQuery>;
