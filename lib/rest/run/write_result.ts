import { negotiate } from "./accept.ts";
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

  constructor(readonly plan: Plan, codecs: readonly Codec[], readonly responses: ResponseWriter) {
    const { contentType, tagged, kind } = plan.result;
    const chosen = findCodec(codecs, contentType);
    const json = findCodec(codecs, "application/json");
    const usable = chosen?.carries(kind) ? [chosen] : [];
    if (json && json !== chosen && (!tagged || !usable.length)) usable.push(json);
    this.#offers = usable.map((codec) => {
      const type = codec === chosen ? mediaType(contentType) : codec.type;
      const named = type !== codec.type ? contentType : codec.header ?? type;
      return { type, codec, headers: { ...responses.headers.entries, "content-type": named } };
    });
    this.#types = this.#offers.map(({ type }) => type);
  }

  write(value: unknown, call: Call): Response | Promise<Response> {
    const { plan: { status, result }, responses } = this;
    const { shape, names, schemas } = result;
    const { streams, channel, finish } = responses.parts;
    // Some runtimes look their classes up at each mention: what is plain needs none.
    if (shape === "stream" || (value as object | undefined)?.constructor !== Object && value instanceof Response) {
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
      const response = responses.respond(status, body, headers, call, values);
      return finish ? finishWith(finish, call.request, response) : response;
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
    const { plan: { status, result: { shape } }, responses } = this;
    return responses.respond(shape !== "none" && status === 200 ? 204 : status, null, responses.headers.entries, call);
  }
}

async function finishWith(steps: readonly Finish[], request: Request, response: Response): Promise<Response> {
  for (const step of steps) response = await step(request, response);
  return response;
}
