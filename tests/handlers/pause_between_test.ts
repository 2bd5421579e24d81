import { assertEquals } from "@std/assert";
import { pauseBetween } from "../../handlers/pause_between.ts";
import { sleep } from "../../lib/oci/sleep.ts";

Deno.test("pauseBetween() tells whether anybody still waits, and a pause of months is no pause of a millisecond", async () => {
  const stop = new AbortController();
  assertEquals(await pauseBetween(1, stop.signal), true);
  const long = pauseBetween(3_000_000_000, stop.signal);
  assertEquals(await Promise.race([long, sleep(20).then(() => "waited")]), "waited");
  stop.abort();
  assertEquals([await long, await pauseBetween(1, stop.signal)], [false, false]);
});
