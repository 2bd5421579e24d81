import { assert, assertEquals, assertRejects } from "@std/assert";
import { sleep as ociSleep } from "../../lib/oci/sleep.ts";
import { sleep as restSleep } from "../../lib/rest/call/sleep.ts";

// Neither layer imports the other, so that each has one: both keep the same promise. Deno's test finds a timer that is left.
for (const [layer, sleep] of [["oci", ociSleep], ["rest", restSleep]] as const) {
  Deno.test(`sleep() of lib/${layer} ends by time or by its signal, and leaves no timer`, async () => {
    const controller = new AbortController();
    await sleep(1, controller.signal);
    const long = sleep(3_600_000, controller.signal);
    controller.abort(new Error("enough"));
    assertEquals((await assertRejects(() => long, Error)).message, "enough");
    await assertRejects(() => sleep(3_600_000, controller.signal), Error, "enough");
    assert(controller.signal.aborted);
  });
}

Deno.test("sleep() of lib/oci sleeps longer than a timer counts", async () => {
  for (const ms of [2 ** 31, 1e21, Infinity]) {
    const stop = new AbortController();
    const slept = ociSleep(ms, stop.signal);
    const first = await Promise.race([slept.then(() => "slept"), ociSleep(20).then(() => "waited")]);
    assertEquals(first, "waited", `${ms}`);
    stop.abort(new Error("enough"));
    await assertRejects(() => slept, Error, "enough");
  }
});
