import { HTTPError } from "../../../rest/error.ts";
import { makeDeferred } from "../../../rest/run/deferred.ts";
import type { IdleWatch } from "../idle_watch.ts";

/** Passes a body on; one that stops coming while it is waited for fails with an `HTTPError` 408. */
export function idleBody(body: ReadableStream<Uint8Array>, idle: IdleWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { promise, reject } = makeDeferred<never>();
      const giveUp = () => reject(new HTTPError(408, "Read the body: nothing came for too long", { kind: "body" }));
      idle.wait(giveUp);
      try {
        const { done, value } = await Promise.race([reader.read(), promise]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      } finally {
        idle.done(giveUp);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
