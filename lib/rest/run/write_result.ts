import { negotiate } from "./accept.ts";
import { checkOf, type CheckValue } from "./check_result.ts";
import type { Call } from "./call.ts";
import { type Codec, encodeWith, findCodec, mediaType } from "../codecs/codec.ts";
import type { Finish } from "./core_server.ts";
import { HTTPError } from "../error.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { ResponseWriter } from "./write_response.ts";

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
  /** The check of each result; none where they are trusted. */
  readonly #checks: readonly CheckValue[] | undefined;

  constructor(readonly plan: Plan, codecs: readonly Codec[], readonly responses: ResponseWriter) {
    const { asTagged, result: { contentType, tagged, kind } } = plan;
    const chosen = findCodec(codecs, contentType);
    const json = findCodec(codecs, "application/json");
    const usable = chosen?.carries(kind) ? [chosen] : [];
    if (json && json !== chosen && (!tagged || !usable.length)) usable.push(json);
    this.#offers = usable.map((codec) => {
      const type = codec === chosen ? mediaType(contentType) : codec.type;
      const named = type !== codec.type ? contentType : codec.header ?? type;
      const vary = usable.length > 1 && !asTagged ? { vary: addVary(responses.headers.entries.vary) } : undefined;
      return { type, codec, headers: { ...responses.headers.entries, ...vary, "content-type": named } };
    });
    const { trusted, result: { schemas, kinds } } = plan;
    this.#checks = trusted ? undefined : schemas.map((schema, index) => checkOf(plan, schema, kinds[index]));
    this.#types = this.#offers.map(({ type }) => type);
  }

  write(value: unknown, call: Call): Response | Promise<Response> {
    const { plan: { result: { shape, schemas } }, responses: { parts: { streams, channel } } } = this;
    // Some runtimes look their classes up at each mention: what is plain needs none.
    if (shape === "stream" || (value as object | undefined)?.constructor !== Object && value instanceof Response) {
      if (streams) return streams.write(value, call, this);
    } else if (shape === "channel") {
      if (channel) return channel(value, call, this);
    } else if (shape === "none") return this.respondEmpty(call);
    else {
      const offer = this.#choose(call);
      const values = shape === "value" || schemas.length === 1 ? [value] : value;
      if (!Array.isArray(values)) throw new TypeError("Write the results: the function returned no list of them");
      const checked: unknown[] = this.#checks?.map((check, index) => check(values[index])) ?? values;
      return checked.some((one) => one instanceof Promise)
        ? Promise.all(checked).then((checked) => this.#encode(offer, values, checked, call))
        : this.#encode(offer, values, checked, call);
    }
    throw new TypeError(`Answer "${call.name}": this server has no streams or channels`);
  }

  /** @param values The results as the function returned them, which write their headers */
  #encode(
    { codec, headers: own }: Offer,
    values: readonly unknown[],
    checked: readonly unknown[],
    call: Call,
  ): Response | Promise<Response> {
    const { plan: { status, result }, responses } = this;
    const { shape, names } = result;
    const [first] = checked;
    if (first === undefined && shape === "value") return this.respondEmpty(call);
    const whole = shape === "value"
      ? first
      : shape === "fields"
      ? Object.fromEntries(names.map((name, index) => [name, checked[index]]))
      : checked;
    const { body, headers } = encodeWith(codec, own, whole, result);
    const response = responses.respond(status, body, headers, call, values);
    const { finish } = responses.parts;
    return finish ? finishWith(finish, call.request, response) : response;
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

  /** The head of a stream or channel, which is not begun for it. */
  respondHead(call: Call): Response {
    const { plan: { status, result: { contentType } }, responses } = this;
    return responses.respond(status, null, { ...responses.headers.entries, "content-type": contentType }, call);
  }

  /** A result that is not there: no body, and the status that says so unless the definition names another. */
  respondEmpty(call: Call): Response {
    const { plan: { status, result: { shape } }, responses } = this;
    return responses.respond(shape !== "none" && status === 200 ? 204 : status, null, responses.headers.entries, call);
  }
}

/** Adds Accept to the `Vary` of an API. */
export function addVary(vary: string | undefined): string {
  return vary ? `${vary}, accept` : "accept";
}

async function finishWith(steps: readonly Finish[], request: Request, response: Response): Promise<Response> {
  for (const step of steps) response = await step(request, response);
  return response;
}
