import type { Call } from "./call.ts";
import type { ServerParts } from "./core_server.ts";
import { toldLength, tooLarge } from "./read_body.ts";
import { isPieces, streamOf } from "./stream_body.ts";
import type { ResultWriter } from "./write_result.ts";

/**
 * Streams as bodies and results, and responses that functions make themselves: the part of a server that carries them.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, rest, stream, streams } from "./server.ts";
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
  write(value, call, writer) {
    if (value instanceof Response) return passOn(value, call, writer);
    if (value === undefined || value === null) return writer.respondEmpty(call);
    if (isPieces(value)) return begin(value, call, writer);
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
  return streams.write(streamOf(iterator, await iterator.next()), call, writer);
}

/** A response the function made itself: untouched when it stands for a socket taken over, else with the API's headers. */
function passOn(response: Response, call: Call, { responses }: ResultWriter): Response {
  if (response === call.upgraded) return response;
  const complete = (headers: Headers) => {
    for (const [name, value] of Object.entries(responses.headers.entries)) {
      if (!headers.has(name)) headers.set(name, value);
    }
    responses.complete(headers, call);
  };
  try {
    complete(response.headers);
    return watch(response, call);
  } catch (error) {
    // A response of `fetch` has headers that cannot be changed.
    if (!(error instanceof TypeError)) throw error;
  }
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  complete(headers);
  return watch(new Response(body, { status, statusText, headers }), call);
}

/** Lets the call's signal fire when the body is cancelled, if anybody looks at it. */
function watch(response: Response, call: Call): Response {
  if (response.body === null || !call.watched) {
    call.finish();
    return response;
  }
  const { status, statusText, headers } = response;
  return new Response(watchStream(response.body, call), { status, statusText, headers });
}

function watchStream(body: ReadableStream<Uint8Array>, call: Call): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        call.finish();
        controller.close();
      } catch (error) {
        call.finish();
        controller.error(error);
      }
    },
    cancel(reason) {
      call.cancel(reason);
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}

/** Passes a body on, failing when it is larger than `limit` bytes. */
function limitStream(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  if (limit === Infinity) return body;
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > limit) throw tooLarge(limit);
        controller.enqueue(chunk);
      },
    }),
  );
}
