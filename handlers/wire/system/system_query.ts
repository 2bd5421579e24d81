/**
 * The queries of the system operations.
 *
 * @module
 */
import { filters, flag, looseFlag } from "../query.ts";
import { z } from "../zod.ts";

/** The query of `GetEvents`. */
export const EventsQuery = z.object({
  since: z.string().optional(),
  until: z.string().optional(),
  stream: flag.optional(),
  filters: filters.optional(),
});
export type EventsQuery = z.output<typeof EventsQuery>;

/** The query of `CompatGetEvents`. */
export const CompatEventsQuery = EventsQuery.extend({ stream: looseFlag.optional() });
