import type { CallOperation } from "./core_client.ts";

/**
 * Lets a call end when its caller gives it up, by `signal` or `timeout`, whatever answers it: `fetch` of the platform does that by itself, but a handler
 * in the same process goes on, and so does a stream that it answers with.
 */
export function heedSignal(call: CallOperation): CallOperation {
  return (args, options) => {
    const { signal: given, timeout } = options;
    if (!given && timeout == null) return call(args, options);
    const ends = timeout == null ? [] : [AbortSignal.timeout(timeout)];
    const signal = AbortSignal.any(given ? [given, ...ends] : ends);
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
      const forget = () => signal.removeEventListener("abort", abort);
      call(args, { ...options, signal, timeout: undefined }).then((value) => {
        forget();
        if (!(value instanceof ReadableStream)) return resolve(value);
        if (signal.aborted) return void value.cancel(signal.reason).catch(() => {});
        resolve(endingStream(value, signal));
      }, (error) => {
        forget();
        reject(error);
      });
    });
  };
}

/** A stream that fails when the signal fires. */
function endingStream(stream: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let abort = () => {};
  const forget = () => signal.removeEventListener("abort", abort);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      abort = () => {
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => {});
      };
      signal.addEventListener("abort", abort, { once: true });
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      forget();
    },
    cancel(reason) {
      forget();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
