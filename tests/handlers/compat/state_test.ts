import { assertEquals } from "@std/assert";
import { dockerState, humanDuration } from "../../../handlers/compat/containers/state.ts";

Deno.test("dockerState() knows Docker's words only", () => {
  assertEquals(
    ["created", "initialized", "running", "stopping", "paused", "exited", "removing"].map((status) => {
      return dockerState(status as Parameters<typeof dockerState>[0]);
    }),
    ["created", "created", "running", "running", "paused", "exited", "removing"],
  );
});

Deno.test("humanDuration() says how long, as Docker does", () => {
  const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
  const rows: [ms: number, text: string][] = [
    [-1, "Less than a second"],
    [0, "Less than a second"],
    [second, "1 second"],
    [45 * second, "45 seconds"],
    [90 * second, "About a minute"],
    [45 * minute, "45 minutes"],
    [hour, "About an hour"],
    [3 * hour, "3 hours"],
    [3 * day, "3 days"],
    [20 * day, "2 weeks"],
    [100 * day, "3 months"],
    [800 * day, "2 years"],
  ];
  for (const [ms, text] of rows) assertEquals(humanDuration(ms), text);
});
