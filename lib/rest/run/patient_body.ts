import { makeDeferred } from "./deferred.ts";
import { HTTPError } from "../error.ts";

/** The longest wait of a timer. */
const LONGEST = 2_147_483_647;

/**
 * A request whose body fails with an `HTTPError` 408 when it is waited for and nothing comes. Only the peer is not waited for: a reader may take
 * its time, and so may a body that goes on coming.
 *
 * @param patience Milliseconds without a byte
 */
export function patientRequest(request: Request, patience: number): Request {
  if (!request.body) return request;
  const body = patientBody(request.body, Math.min(patience, LONGEST));
  // Streams as bodies need `duplex`, which the types of RequestInit do not know.
  return new Request(
    request.url,
    { method: request.method, headers: request.headers, body, duplex: "half" } as RequestInit,
  );
}

function patientBody(body: ReadableStream<Uint8Array>, patience: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { promise, reject } = makeDeferred<never>();
      const timer = setTimeout(() => {
        const error = new HTTPError(408, "Read the body: nothing came for too long", { kind: "body" });
        reject(error);
        reader.cancel(error).catch(() => {});
      }, patience);
      try {
        const { done, value } = await Promise.race([reader.read(), promise]);
        if (done) controller.close();
        else controller.enqueue(value);
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
