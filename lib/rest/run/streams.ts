import type { Call } from "./call.ts";
import type { ServerParts } from "./core_server.ts";
import { HTTPError, tooLarge } from "../error.ts";
import { toldLength } from "./read_body.ts";
import { isPieces, streamOf } from "../codecs/stream_body.ts";
import type { ResultWriter } from "./write_result.ts";

/**
 * Streams as bodies and results, and responses that functions make themselves: the part of a server that carries them.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, rest, stream, streams } from "../server.ts";
 * const files = api("files.example.com", { Copy: rest("POST /copy", [stream()], [stream()]) });
 * const serve = handlerWith({ streams }, null, implement(files, { Copy: (body) => body }));
 * const response = await serve(new Request("http://localhost/copy", { method: "POST", body: "a file" }));
 * console.assert(await response.text() === "a file");
 * ```
 */
export const streams: NonNullable<ServerParts["streams"]> = {
  read(request, limit) {
    toldLength(request, limit);
    return limitStream(request.body ?? new Blob([]).stream(), limit);
  },
  async upgrade(call, init) {
    const { name, platform } = call;
    if (!platform.upgrade) {
      throw new HTTPError(501, `Take over the socket for "${name}": this runtime cannot`, { kind: "unimplemented" });
    }
    const upgraded = await platform.upgrade(init);
    call.upgraded = upgraded.response;
    return upgraded;
  },
  write(value, call, writer) {
    if (value instanceof Response) return passOn(value, call, writer);
    if (value === undefined || value === null) return writer.respondEmpty(call);
    if (isPieces(value)) {
      if (call.request.method !== "HEAD") return begin(value, call, writer);
      // There may be no first piece for a long time, and nobody wants it.
      call.controller?.abort(new DOMException("The answer has no body", "AbortError"));
      value[Symbol.asyncIterator]().return?.().catch(() => {});
      return writer.respondHead(call);
    }
    const { plan, responses } = writer;
    const { contentType } = plan.result;
    const type = value instanceof Blob && value.type !== "" ? value.type : contentType;
    // The definition's types allow a stream, a Blob, bytes or text here.
    const headers = { ...responses.headers.entries, "content-type": type };
    const response = responses.respond(plan.status, value as BodyInit, headers, call, [value]);
    return value instanceof ReadableStream ? watch(response, call) : response;
  },
};

/** Sends pieces once there is the first: what fails before it still gets a status of its own. */
async function begin(pieces: AsyncIterable<Uint8Array | string>, call: Call, writer: ResultWriter): Promise<Response> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const told: typeof iterator = {
    async next() {
      try {
        return await iterator.next();
      } catch (error) {
        // The answer has begun: this is for the log alone. Of a peer that has gone it is told nothing.
        if (!call.controller?.signal.aborted) writer.responses.encode(error, call);
        throw error;
      }
    },
    return: async (reason) => await iterator.return?.(reason) ?? { done: true, value: undefined },
  };
  return streams.write(streamOf(told, first), call, writer);
}

/**
 * A response the function made itself: untouched when it stands for a socket taken over, else with the API's headers.
 *
 * @param lasts Has the call last as long as the body does; by default by passing the body on
 */
export function passOn(response: Response, call: Call, { responses }: ResultWriter, lasts = watch): Response {
  if (response === call.upgraded) return response;
  const complete = (headers: Headers) => {
    for (const [name, value] of Object.entries(responses.headers.entries ?? {})) {
      if (!headers.has(name) || name === "vary") headers.append(name, value);
    }
    responses.complete(headers, call);
  };
  try {
    complete(response.headers);
    return lasts(response, call);
  } catch (error) {
    // A response of `fetch` has headers that cannot be changed.
    if (!(error instanceof TypeError)) throw error;
  }
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  complete(headers);
  return lasts(new Response(body, { status, statusText, headers }), call);
}

/** Lets the call's signal fire when the body is cancelled, if anybody looks at it. */
function watch(response: Response, call: Call): Response {
  if (response.body === null || !call.controller) {
    call.finish();
    return response;
  }
  const { status, statusText, headers } = response;
  return new Response(watchStream(response.body, call), { status, statusText, headers });
}

function watchStream(body: ReadableStream<Uint8Array>, call: Call): ReadableStream<Uint8Array> {
  return passed(body, {
    async next(reader) {
      try {
        const step = await reader.read();
        if (step.done) call.finish();
        return step;
      } catch (error) {
        call.finish();
        throw error;
      }
    },
    cancel(reason) {
      // The response's body was not wanted any more.
      call.controller?.abort(reason);
      call.finish();
    },
  });
}

/** Passes a body on, failing when it is larger than `limit` bytes. */
function limitStream(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  if (limit === Infinity) return body;
  let size = 0;
  return passed(body, {
    async next(reader) {
      const step = await reader.read();
      size += step.value?.byteLength ?? 0;
      if (size <= limit) return step;
      const error = tooLarge(limit);
      await reader.cancel(error).catch(() => {});
      throw error;
    },
  });
}

/** A body's pieces in a stream of the same type: what is read from one of type `bytes` belongs to who reads it. */
function passed(
  body: ReadableStream<Uint8Array>,
  steps: {
    next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>>;
    cancel?(reason: unknown): void;
  },
): ReadableStream<Uint8Array> {
  const type = typeOf(body);
  const reader = body.getReader();
  const source = {
    type,
    async pull(controller: ReadableStreamController<Uint8Array>) {
      const { done, value } = await steps.next(reader);
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel(reason: unknown) {
      steps.cancel?.(reason);
      return reader.cancel(reason);
    },
  };
  // A source of one kind or the other, as `type` says.
  return new ReadableStream(source as UnderlyingSource<Uint8Array>, { highWaterMark: 0 });
}

function typeOf(body: ReadableStream<Uint8Array>): "bytes" | undefined {
  try {
    body.getReader({ mode: "byob" }).releaseLock();
    return "bytes";
  } catch {
    return undefined;
  }
}
