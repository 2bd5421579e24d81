import { negotiate } from "./accept.ts";
import type { Authenticator } from "./auth.ts";
import type { Call } from "./call.ts";
import { type Codec, encodeWith, findCodec, mediaType } from "./codec.ts";
import type { Finish, ServerParts } from "./core_server.ts";
import { HTTPError } from "./error.ts";
import type { Plan } from "./plan_types.ts";
import { type FixedHeaders, setHeaders } from "./response_headers.ts";
import type { ErrorWriter } from "./write_error.ts";

/** A content type that can be answered. */
interface Offer {
  readonly type: string;
  readonly codec: Codec;
  /** The headers of its answers, if nothing is added to them. */
  readonly headers: Record<string, string>;
}

/** Makes responses of what a function returns. */
export class ResultWriter {
  readonly #offers: readonly Offer[];
  readonly #types: readonly string[];
  readonly #auth: Authenticator<unknown> | null;
  readonly #parts: ServerParts;
  /** Whether every response has the same headers, but for what a function sets. */
  readonly #fixed: boolean;

  constructor(
    readonly plan: Plan,
    codecs: readonly Codec[],
    readonly headers: FixedHeaders,
    auth: Authenticator<unknown> | null,
    readonly errors: ErrorWriter,
    parts: ServerParts,
  ) {
    this.#auth = auth;
    this.#parts = parts;
    this.#fixed = headers.perCall === undefined && auth?.cors === undefined;
    const { contentType, tagged, kind } = plan.result;
    const chosen = findCodec(codecs, contentType);
    const json = findCodec(codecs, "application/json");
    const usable = chosen?.carries(kind) ? [chosen] : [];
    if (json && json !== chosen && (!tagged || usable.length === 0)) usable.push(json);
    this.#offers = usable.map((codec) => {
      const type = codec === chosen ? mediaType(contentType) : codec.type;
      const named = type !== codec.type ? contentType : codec.header ?? type;
      return { type, codec, headers: { ...headers.entries, "content-type": named } };
    });
    this.#types = this.#offers.map((offer) => offer.type);
  }

  write(value: unknown, call: Call): Response | Promise<Response> {
    const { result } = this.plan;
    const { shape, names, schemas } = result;
    const { streams, channel } = this.#parts;
    if (value instanceof Response || shape === "stream") {
      if (streams) return streams.write(value, call, this);
    } else if (shape === "channel") {
      if (channel) return channel(value, call, this);
    } else if (shape === "none") return this.respondEmpty(call);
    else {
      const offer = this.#choose(call);
      if (value === undefined && shape === "value") return this.respondEmpty(call);
      const values = shape === "value" || schemas.length === 1 ? [value] : value;
      if (!Array.isArray(values)) throw new TypeError("Write the results: the function returned no list of them");
      const whole = shape === "fields" ? Object.fromEntries(names.map((name, index) => [name, values[index]])) : value;
      const { body, headers } = encodeWith(offer.codec, offer.headers, whole, result);
      const response = this.respond(body, headers, values, call);
      return this.#parts.finish ? finish(this.#parts.finish, call.request, response) : response;
    }
    throw new TypeError(`Answer "${call.name}": this server has no streams or channels`);
  }

  #choose(call: Call): Offer {
    const types = this.#types;
    const type = negotiate(this.plan.asTagged ? null : call.request.headers.get("accept"), types);
    const offer = this.#offers[types.indexOf(type!)];
    if (offer) return offer;
    throw new HTTPError(406, `Answer "${call.name}": the client accepts none of ${types.join(", ")}`, {
      kind: "accept",
    });
  }

  /** A result that is not there: no body, and the status that says so unless the definition names another. */
  respondEmpty(call: Call): Response {
    const { status, result: { shape } } = this.plan;
    return this.respond(null, this.headers.entries, [], call, shape !== "none" && status === 200 ? 204 : status);
  }

  /**
   * A response of a body and its headers: in a record they are all it has, in a list they come on top of those of the API.
   *
   * @param values What may write headers
   */
  respond(
    body: BodyInit | null,
    own: HeadersInit,
    values: readonly unknown[],
    call: Call,
    status = this.plan.status,
  ): Response {
    // A stream is what the call lasts as long as.
    if (!(body instanceof ReadableStream)) call.finish();
    // Runtimes make a response fastest of a record.
    if (this.#fixed && !call.ownHeaders && !(Symbol.iterator in own) && !this.#parts.headers?.writes(values)) {
      return new Response(body, { status, headers: own });
    }
    const headers = new Headers(this.headers.entries);
    setHeaders(headers, own);
    this.complete(headers, call, values);
    return new Response(body, { status, headers });
  }

  /** Adds to headers what is not the same for every call. */
  complete(headers: Headers, call: Call, values: readonly unknown[] = []): void {
    setHeaders(headers, this.headers.perCall?.(call));
    this.#parts.headers?.write(values, headers);
    setHeaders(headers, call.ownHeaders);
    setHeaders(headers, this.#auth?.cors?.(call.request));
  }
}

async function finish(steps: readonly Finish[], request: Request, response: Response): Promise<Response> {
  for (const step of steps) response = await step(request, response);
  return response;
}
