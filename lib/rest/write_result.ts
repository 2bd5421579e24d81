import { negotiate } from "./accept.ts";
import type { Authenticator } from "./auth.ts";
import type { Call } from "./call.ts";
import { channelResponse } from "./channel.ts";
import { type Codec, findCodec, mediaType } from "./codec.ts";
import { HTTPError } from "./error.ts";
import { isHeaderWriter } from "./header_value.ts";
import { writeJSON } from "./json.ts";
import type { Plan, ResultPlan } from "./plan_types.ts";
import { type FixedHeaders, setHeaders, withHeaders } from "./response_headers.ts";

interface Offer {
  readonly type: string;
  readonly codec: Codec;
  readonly init: { readonly status: number; readonly headers: [string, string][] };
}

/** Makes responses of what a function returns. */
export class ResultWriter {
  readonly #plan: Plan;
  readonly #result: ResultPlan;
  readonly #headers: FixedHeaders;
  readonly #auth: Authenticator<unknown> | null;
  readonly #describe: (error: unknown, call: Call) => string;
  readonly #offers: readonly Offer[];
  readonly #types: readonly string[];
  /** Whether every response has the same headers, but for what a function sets. */
  readonly #fixed: boolean;
  readonly #empty: { readonly status: number; readonly headers: [string, string][] };

  constructor(
    plan: Plan,
    codecs: readonly Codec[],
    headers: FixedHeaders,
    auth: Authenticator<unknown> | null,
    describe: (error: unknown, call: Call) => string,
  ) {
    this.#plan = plan;
    this.#result = plan.result;
    this.#headers = headers;
    this.#auth = auth;
    this.#describe = describe;
    this.#fixed = headers.perCall === undefined && auth?.cors === undefined;
    this.#offers = this.#makeOffers(codecs);
    this.#types = this.#offers.map((offer) => offer.type);
    this.#empty = { status: plan.status, headers: headers.entries.map(([name, value]) => [name, value]) };
  }

  #makeOffers(codecs: readonly Codec[]): Offer[] {
    const { contentType, tagged, kind, shape } = this.#result;
    if (shape === "none" || shape === "stream" || shape === "channel") return [];
    const chosen = findCodec(codecs, contentType);
    const others = tagged ? [] : codecs.filter((codec) => codec.type === "application/json" && codec !== chosen);
    const usable = [...(chosen?.carries(kind) ? [chosen] : []), ...others];
    return (usable.length > 0 ? usable : codecs.slice(-1)).map((codec) => {
      const type = codec === chosen ? mediaType(contentType) : codec.type;
      const header = codec === chosen && type !== codec.type ? contentType : codec.header ?? codec.type;
      const headers: [string, string][] = this.#headers.entries.map(([name, value]) => [name, value]);
      headers.push(["content-type", header]);
      return { type, codec, init: { status: this.#plan.status, headers } };
    });
  }

  write(value: unknown, call: Call): Response | Promise<Response> {
    if (value instanceof Response) return this.#passOn(value, call);
    switch (this.#result.shape) {
      case "none":
        return this.#respond(null, this.#empty, value, call);
      case "stream":
        return this.#writeStream(value, call);
      case "channel":
        return this.#writeChannel(value, call);
      default:
        return this.#writeValue(value, call);
    }
  }

  /** A response the function made itself: untouched when it stands for a socket taken over, else with the API's headers. */
  #passOn(response: Response, call: Call): Response {
    if (response === call.upgraded) return response;
    const own = call.ownHeaders;
    if (this.#fixed && own === undefined && this.#headers.entries.length === 0) return this.#watch(response, call);
    const changed = withHeaders(response, (headers) => {
      for (const [name, value] of this.#headers.entries) if (!headers.has(name)) headers.set(name, value);
      setHeaders(headers, this.#headers.perCall?.(call));
      setHeaders(headers, own);
      setHeaders(headers, this.#auth?.cors?.(call.request));
    });
    return this.#watch(changed, call);
  }

  /** Lets the call's signal fire when the body is cancelled, if anybody looks at it. */
  #watch(response: Response, call: Call): Response {
    if (response.body === null || !call.watched) {
      call.finish();
      return response;
    }
    const { status, statusText, headers } = response;
    return new Response(watchStream(response.body, call), { status, statusText, headers });
  }

  #writeValue(value: unknown, call: Call): Response {
    const { shape, kind, revive, replace, names } = this.#result;
    const offer = this.#choose(call);
    if (value === undefined && shape === "value") {
      return this.#respond(null, { ...this.#empty, status: this.#emptyStatus() }, value, call);
    }
    let whole = value;
    if (shape === "fields") {
      const values = names.length === 1 ? [value] : asList(value);
      whole = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    }
    const body = offer.codec.encode(whole, { kind, revive, replace });
    // A string is as good as bytes here; the type of the library knows ArrayBuffer views only by their buffer.
    return this.#respond(body as BodyInit, offer.init, value, call);
  }

  /** A result that is not there: no body, and the status that says so unless the definition names another. */
  #emptyStatus(): number {
    return this.#plan.status === 200 ? 204 : this.#plan.status;
  }

  #choose(call: Call): Offer {
    if (this.#plan.asTagged) return this.#offers[0];
    const type = negotiate(call.request.headers.get("accept"), this.#types);
    const offer = this.#offers.find((candidate) => candidate.type === type);
    if (offer !== undefined) return offer;
    throw new HTTPError(406, `Answer "${call.name}": the client accepts none of ${this.#types.join(", ")}`, {
      kind: "accept",
    });
  }

  #respond(
    body: BodyInit | null,
    init: { readonly status: number; readonly headers: [string, string][] },
    value: unknown,
    call: Call,
  ): Response {
    const own = call.ownHeaders;
    call.finish();
    const writers = this.#result.shape === "none" ? [] : headerWriters(value, this.#result);
    if (this.#fixed && own === undefined && writers.length === 0) return new Response(body, init);
    const headers = new Headers(init.headers);
    setHeaders(headers, this.#headers.perCall?.(call));
    for (const writer of writers) writer.writeHeadersHTTP(headers);
    setHeaders(headers, own);
    setHeaders(headers, this.#auth?.cors?.(call.request));
    return new Response(body, { status: init.status, headers });
  }

  #writeStream(value: unknown, call: Call): Response {
    const { contentType } = this.#result;
    if (value === undefined || value === null) {
      return this.#respond(null, { ...this.#empty, status: this.#emptyStatus() }, value, call);
    }
    const type: [string, string] = [
      "content-type",
      value instanceof Blob && value.type !== "" ? value.type : contentType,
    ];
    const headers: [string, string][] = [...this.#empty.headers, type];
    const init = { status: this.#plan.status, headers };
    if (!(value instanceof ReadableStream)) {
      // The definition's types allow a Blob, bytes or text here.
      return this.#respond(value as BodyInit, init, undefined, call);
    }
    return this.#watch(this.#respondStream(value, init, call), call);
  }

  #respondStream(
    body: ReadableStream<Uint8Array>,
    init: { readonly status: number; readonly headers: [string, string][] },
    call: Call,
  ): Response {
    const headers = new Headers(init.headers);
    setHeaders(headers, this.#headers.perCall?.(call));
    if (isHeaderWriter(body)) body.writeHeadersHTTP(headers);
    setHeaders(headers, call.ownHeaders);
    setHeaders(headers, this.#auth?.cors?.(call.request));
    return new Response(body, { status: init.status, headers });
  }

  async #writeChannel(value: unknown, call: Call): Promise<Response> {
    if (!isAsyncIterable(value)) throw new TypeError(`Answer "${call.name}": the function returned no AsyncIterable`);
    const { replace, contentType } = this.#result;
    const response = await channelResponse(value, {
      request: call.request,
      platform: call.platform,
      signal: call.signal,
      contentType,
      encode: (item) => writeJSON(item, replace),
      describe: (error) => this.#describe(error, call),
    });
    // A WebSocket's response stands for the socket: it is the runtime's and goes back as it is.
    if (response.body === null) return response;
    return this.#passOn(response, call);
  }
}

function headerWriters(value: unknown, { shape, schemas }: ResultPlan) {
  if (shape === "value" || schemas.length === 1) return isHeaderWriter(value) ? [value] : [];
  return asList(value).filter(isHeaderWriter);
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError("Write the results: the function returned no list of them");
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
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
