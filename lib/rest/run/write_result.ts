import { checkOf, type CheckValue } from "./check_result.ts";
import { type Call, lackStreams } from "./call.ts";
import { type Codec, encodeWith, findCodec, mediaType } from "../codecs/codec.ts";
import type { Finish } from "./core_server.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { ResponseWriter } from "./write_response.ts";

/** A content type that can be answered. */
export interface Offer {
  readonly type: string;
  readonly codec: Codec;
  /** The headers of its answers, if nothing is added to them. */
  readonly headers: Record<string, string>;
}

/** Answers with a result that is plain data; undefined where it is not, or is more than a body. */
export type AnswerPlain = (value: unknown, call: Call) => Response | undefined;

/** Makes responses of what a function returns. */
export class ResultWriter {
  declare readonly plan: Plan;
  declare readonly responses: ResponseWriter;
  /** Chooses the content type of an answer. */
  readonly #choose: (call: Call) => Offer;
  /** The check of each result; none where they are trusted. */
  readonly #checks: readonly CheckValue[] | undefined;
  readonly #answerPlain: AnswerPlain | undefined;

  constructor(plan: Plan, codecs: readonly Codec[], responses: ResponseWriter) {
    this.plan = plan;
    this.responses = responses;
    const { trusted, result: { contentType, kind, schemas, kinds } } = plan;
    const { parts: { exactness, negotiate, quick }, headers: { entries } } = responses;
    const tagged = findCodec(codecs, contentType);
    const isTagged = tagged?.carries(kind);
    // JSON is always among them, and carries anything.
    const codec = isTagged ? tagged! : findCodec(codecs, "application/json")!;
    const type = isTagged ? mediaType(contentType) : codec.type;
    const named = type !== codec.type ? contentType : codec.header ?? type;
    const offer = { type, codec, headers: { ...entries, "content-type": named } };
    this.#choose = negotiate?.(plan, offer, codecs) ?? (() => offer);
    this.#answerPlain = quick?.results(this, offer, this.#choose);
    this.#checks = trusted
      ? undefined
      : schemas.map((schema, index) => checkOf(plan, schema, kinds[index], exactness, quick?.test(schema)));
  }

  write(value: unknown, call: Call): Response | Promise<Response> {
    const plain = this.#answerPlain?.(value, call);
    if (plain) return plain;
    const { plan: { result: { shape, schemas } }, responses: { parts: { streams, channel } } } = this;
    // Some runtimes look their classes up at each mention: what is plain needs none.
    if (shape === "stream" || value && value.constructor !== Object && value instanceof Response) {
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
    throw lackStreams(call.name);
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

  /** The head of a stream or channel, which is not begun for it. */
  respondHead(call: Call): Response {
    const { status, result: { contentType } } = this.plan;
    return this.respondEmpty(call, status, { "content-type": contentType });
  }

  /** A result that is not there: no body, and the status that says so unless the definition names another. */
  respondEmpty(call: Call, given?: number, type?: Record<string, string>): Response {
    const { plan: { status, result: { shape } }, responses } = this;
    const other = shape !== "none" && status === 200 ? 204 : status;
    return responses.respond(given ?? other, null, { ...responses.headers.entries, ...type }, call);
  }
}

async function finishWith(steps: readonly Finish[], request: Request, response: Response): Promise<Response> {
  for (const step of steps) response = await step(request, response);
  return response;
}
