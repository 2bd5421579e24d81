/**
 * The queries of the native container operations.
 *
 * @module
 */
import { optionalFlag, patience, terminalSide } from "../query.ts";
import { z } from "../zod.ts";

/** The query of `ListContainers`. */
export const ListContainersQuery = z.object({
  all: optionalFlag,
  external: optionalFlag,
  last: z.int().optional(),
  limit: z.int().optional(),
  namespace: optionalFlag,
  size: optionalFlag,
  sync: optionalFlag,
  /** Read by the operation, which has an error of its own for bad ones. */
  filters: z.string().optional(),
});

/** The query of `GetContainer`. */
export const SizeQuery = z.object({ size: optionalFlag });

/** The query of `ContainerExists`. */
export const ExistsQuery = z.object({ external: optionalFlag });

/** The query of `StartContainer`. */
export const StartQuery = z.object({ detachKeys: z.string().optional(), recursive: optionalFlag });

/** The query of `StopContainer` and `RestartContainer`. */
export const StopQuery = z.object({ ignore: optionalFlag, timeout: patience, all: optionalFlag });

/** The query of `KillContainer`. */
export const KillQuery = z.object({ signal: z.string().optional() });

/** The query of `WaitContainer`. */
export const WaitQuery = z.object({ interval: z.string().optional(), condition: z.array(z.string()).optional() });

/** The query of `RemoveContainer`. */
export const RemoveQuery = z.object({
  force: optionalFlag,
  ignore: optionalFlag,
  depend: optionalFlag,
  timeout: patience,
  volumes: optionalFlag,
});

/** The query of `LogsFromContainer`. */
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

/** The query of `AttachContainer`. */
export const AttachQuery = z.object({
  detachKeys: z.string().optional(),
  logs: optionalFlag,
  stream: optionalFlag,
  stdin: optionalFlag,
  stdout: optionalFlag,
  stderr: optionalFlag,
});
export type AttachQuery = z.output<typeof AttachQuery>;

/** The query of `ResizeTTY`. */
export const ResizeQuery = z.object({ h: terminalSide, w: terminalSide, running: optionalFlag });

/** The query of `TopContainer`. */
export const TopQuery = z.object({
  delay: z.int().optional(),
  ps_args: z.array(z.string()).optional(),
  stream: optionalFlag,
});

/** The query of `StatsContainer`. */
export const StatsQuery = z.object({
  containers: z.array(z.string()).optional(),
  stream: optionalFlag,
  interval: z.int().optional(),
  all: optionalFlag,
});
export type StatsQuery = z.output<typeof StatsQuery>;

/** The query of `StatsOneContainer`. */
export const StatsOneQuery = z.object({ stream: optionalFlag, "one-shot": optionalFlag });

/** The query of `UpdateContainer`. */
export const UpdateQuery = z.object({
  restartPolicy: z.string().optional(),
  restartRetries: z.int().nonnegative().optional(),
});

/** The query of `RenameContainer`. */
export const RenameQuery = z.object({ name: z.string() });

/** The query of `PruneContainers`. */
export const PruneQuery = z.object({ filters: z.string().optional() });
