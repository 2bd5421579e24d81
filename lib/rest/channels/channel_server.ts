import type { Call } from "../run/call.ts";
import { checkOf, type CheckValue } from "../run/check_result.ts";
import { channelResponse } from "./channel.ts";
import { HTTPError } from "../error.ts";
import type { Kind } from "../plan/kind.ts";
import { PassedChannel } from "../run/forwarded.ts";
import { writeJSON } from "../codecs/json.ts";
import { passOn } from "../run/streams.ts";
import type { WrittenError } from "../run/write_response.ts";
import type { ResultWriter } from "../run/write_result.ts";
import { isAsyncIterable } from "../codecs/record.ts";
import { partsWriter } from "./parts/parts_writer.ts";

/**
 * Sends what a function yields: the part of a server that has channels.
 *
 * @example
 * ```ts
 * import { api, chan, handlerWith, implement, int64, rest, writeChannel } from "../server.ts";
 * const clock = api("clock.example.com", { Ticks: rest("GET /ticks", [], [chan(int64)]) });
 * const functions = implement(clock, {
 *   async *Ticks() {
 *     yield* [1, 2];
 *   },
 * });
 * const serve = handlerWith({ channel: writeChannel }, null, functions);
 * console.assert(await (await serve(new Request("http://localhost/ticks"))).text() === "1\n2\n");
 * ```
 */
export async function writeChannel(value: unknown, call: Call, writer: ResultWriter): Promise<Response> {
  if (!isAsyncIterable(value)) throw new TypeError(`Answer "${call.name}": the function returned no AsyncIterable`);
  const { check, write } = partsOf(writer);
  const { kind, contentType } = writer.plan.result;
  const encodeBy = <Text>(write: (value: unknown, kind: Kind) => Text) => (item: unknown) => {
    // The server behind has checked and written it, perhaps with line ends between its parts, which would end the value here.
    if (value instanceof PassedChannel) return (item as string).replace(/[\r\n]/g, " ");
    const checked = check(item);
    return checked instanceof Promise ? checked.then((checked) => write(checked, kind)) : write(checked, kind);
  };
  const response = await channelResponse(value, {
    request: call.request,
    platform: call.platform,
    signal: call.signal,
    detach() {
      call.finish();
      return () => call.controller?.abort(new DOMException("The peer has gone", "AbortError"));
    },
    ended: () => call.finish(),
    cancelled: (reason) => call.controller?.abort(reason),
    contentType,
    encode: encodeBy(writeJSON),
    encodeParts: encodeBy(write),
    describe: (error) => describe(writer.responses.encode(error, call)),
  });
  const isHead = call.request.method === "HEAD";
  // There is no answer to wait for.
  if (isHead) call.controller?.abort(new DOMException("The answer has no body", "AbortError"));
  // A WebSocket's response stands for the socket: it is the runtime's and goes back as it is.
  else if (response.body === null && response.status !== 204) return response;
  // The body itself says when the call is over: one more stream around it would take as long as to write a value.
  return passOn(response, call, writer, (response) => {
    if (response.body === null) call.finish();
    return response;
  });
}

interface ChannelParts {
  /** Checks a value and cuts it to its schema. */
  readonly check: CheckValue;
  /** Writes it into a body. */
  readonly write: ReturnType<typeof partsWriter>;
}

/** The parts of channels: they are made when a channel is first sent, as that takes longer than to send a short one. */
const parts = /* @__PURE__ */ new WeakMap<ResultWriter, ChannelParts>();

function partsOf(writer: ResultWriter): ChannelParts {
  const known = parts.get(writer);
  if (known) return known;
  const { plan, responses } = writer;
  const { kind, item } = plan.result;
  const check: CheckValue = plan.trusted || !item ? (value) => value : checkOf(plan, item, kind, responses.parts);
  const made = { check, write: partsWriter(kind) };
  parts.set(writer, made);
  return made;
}

/** The words of an error that may go to the peer once the status has gone. */
function describe({ body, redacted }: WrittenError): string {
  const fields = typeof body === "object" && body !== null ? body as Record<string, unknown> : {};
  const words = [body, fields.message, fields.detail, fields.title].find((text) => typeof text === "string");
  if (typeof words === "string") return words;
  return redacted instanceof HTTPError ? redacted.message : "Internal error";
}
