/**
 * The queries of the native container operations.
 *
 * @module
 */
import { filters, flag } from "./query.ts";
import { z } from "./zod.ts";

const optionalFlag = flag.optional();
const seconds = z.int().optional();

export const ListContainersQuery = z.object({
  all: optionalFlag,
  external: optionalFlag,
  last: z.int().optional(),
  limit: z.int().optional(),
  namespace: optionalFlag,
  size: optionalFlag,
  sync: optionalFlag,
  filters: filters.optional(),
});

export const SizeQuery = z.object({ size: optionalFlag });

export const ExistsQuery = z.object({ external: optionalFlag });

export const StartQuery = z.object({ detachKeys: z.string().optional(), recursive: optionalFlag });

export const StopQuery = z.object({ ignore: optionalFlag, timeout: seconds, all: optionalFlag });

export const KillQuery = z.object({ signal: z.string().optional() });

export const WaitQuery = z.object({ interval: z.string().optional(), condition: z.array(z.string()).optional() });

export const RemoveQuery = z.object({
  force: optionalFlag,
  ignore: optionalFlag,
  depend: optionalFlag,
  timeout: seconds,
  volumes: optionalFlag,
});

export const LogsQuery = z.object({
  follow: optionalFlag,
  stdout: optionalFlag,
  stderr: optionalFlag,
  since: z.string().optional(),
  until: z.string().optional(),
  timestamps: optionalFlag,
  tail: z.string().optional(),
});
export type LogsQuery = z.output<typeof LogsQuery>;

export const AttachQuery = z.object({
  detachKeys: z.string().optional(),
  logs: optionalFlag,
  stream: optionalFlag,
  stdin: optionalFlag,
  stdout: optionalFlag,
  stderr: optionalFlag,
});
export type AttachQuery = z.output<typeof AttachQuery>;

export const ResizeQuery = z.object({ h: z.int().optional(), w: z.int().optional(), running: optionalFlag });

export const RenameQuery = z.object({ name: z.string() });

export const PruneQuery = z.object({ filters: filters.optional() });
