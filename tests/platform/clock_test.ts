import { assert, assertRejects } from "@std/assert";
import { hostClock } from "../../lib/platform/clock.ts";

Deno.test("hostClock().sleep() sleeps longer than a timer counts", async () => {
  for (const ms of [2 ** 31, 1e21, Infinity]) {
    const stop = new AbortController();
    const slept = hostClock().sleep(ms, stop.signal);
    const first = await Promise.race([slept.then(() => "slept"), hostClock().sleep(20).then(() => "waited")]);
    assert(first === "waited", `${ms}`);
    stop.abort(new Error("enough"));
    await assertRejects(() => slept, Error, "enough");
  }
});
