/**
 * Quadlets, in the native tree.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

const errors = z.record(z.string(), z.string());

/** `entities.ListQuadlet`. */
export const ListQuadlet = z.object({
  Name: z.string(),
  UnitName: z.string(),
  Path: z.string(),
  Status: z.string(),
  /** The application that the quadlet belongs to: always empty here. */
  App: z.string(),
  /** The `.pod` of a container. */
  Pod: z.string(),
});
export type ListQuadlet = z.output<typeof ListQuadlet>;

/** `entities.QuadletInstallReport`. */
export const QuadletInstallReport = z.object({
  /** The path of each file, by its name. */
  InstalledQuadlets: z.record(z.string(), z.string()),
  QuadletErrors: errors,
});

/** `entities.QuadletRemoveReport`. */
export const QuadletRemoveReport = z.object({ Removed: z.array(z.string()), Errors: errors });
export type QuadletRemoveReport = z.output<typeof QuadletRemoveReport>;

/** The query of `ListQuadlets`, whose filters the operation reads itself: it has an error of its own for them. */
export const ListQuadletsQuery = z.object({ filters: z.string().optional() });

/** The query of `InstallQuadlets`. */
export const InstallQuadletsQuery = z.object({ replace: optionalFlag, "reload-systemd": optionalFlag });

/** The query of `RemoveQuadlet`. */
export const RemoveQuadletQuery = z.object({
  force: optionalFlag,
  ignore: optionalFlag,
  "reload-systemd": optionalFlag,
});

/** The query of `RemoveQuadlets`. */
export const RemoveQuadletsQuery = RemoveQuadletQuery.extend({
  all: optionalFlag,
  quadlets: z.array(z.string()).optional(),
});
