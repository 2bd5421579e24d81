/** A channel for a browser: of values that JSON alone cannot say. */
import { z } from "../../handlers/wire/zod.ts";
import { api, chan, int64, rest, time } from "../../lib/rest/mod.ts";

const Tick = z.object({ n: z.int(), exact: z.bigint(), at: z.date() });

/** The definition, for the server and for the page. */
export const ticks = api("ticks.example.com", {
  Ticks: rest("GET /ticks?to=%v", [z.int()], [chan(Tick)]),
  Now: rest("GET /now", [], [time]),
  Last: rest("GET /last", [], [int64]),
});
