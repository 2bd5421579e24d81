import { checkOf } from "./check_result.ts";
import type { Call } from "./call.ts";
import { type Codec, encodeWith, findCodec, mediaType } from "../codecs/codec.ts";
import { neededPart } from "../error.ts";
import type { Finish } from "./core_server.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { ResponseWriter } from "./write_response.ts";

/** A content type that can be answered. */
export interface Offer {
  readonly codec: Codec;
  /** The headers of its answers, if nothing is added to them. */
  readonly headers: Record<string, string>;
}

/** Answers with a result that is plain data; undefined where it is not, or is more than a body. */
export type AnswerPlain = (value: unknown, call: Call) => Response | undefined;

/** Makes responses of what a function returns. */
export interface ResultWriter {
  readonly plan: Plan;
  readonly responses: ResponseWriter;
  write(value: unknown, call: Call): Response | Promise<Response>;
  /** The head of a stream or channel, which is not begun for it. */
  respondHead(call: Call): Response;
  /** A result that is not there: no body, and the status that says so unless the definition names another. */
  respondEmpty(call: Call): Response;
}

/** Makes the writer of an operation's results. */
export function resultWriter(plan: Plan, codecs: readonly Codec[], responses: ResponseWriter): ResultWriter {
  const { status, trusted, result } = plan;
  const { shape, contentType, kind, schemas, kinds, names } = result;
  const { parts: { exactness, negotiate, quick, streams, channel, finish }, headers: { entries } } = responses;
  const tagged = findCodec(codecs, contentType);
  const isTagged = tagged?.carries(kind);
  // JSON is always among them, and carries anything.
  const codec = isTagged ? tagged! : findCodec(codecs, "application/json")!;
  const isDialect = isTagged && mediaType(contentType) !== codec.type;
  const type = isDialect ? contentType : codec.header ?? codec.type;
  const offer = { codec, headers: { ...entries, "content-type": type } };
  /** Chooses the content type of an answer. */
  const choose = negotiate?.(plan, offer, codecs) ?? (() => offer);
  /** The check of each result; none where they are trusted. */
  const checks = trusted
    ? undefined
    : schemas.map((schema, index) => checkOf(plan, schema, kinds[index], exactness, quick?.test(schema)));

  /** @param values The results as the function returned them, which write their headers */
  const encode = (
    { codec, headers: own }: Offer,
    values: readonly unknown[],
    checked: readonly unknown[],
    call: Call,
  ): Response | Promise<Response> => {
    const [first] = checked;
    if (first === undefined && shape === "value") return writer.respondEmpty(call);
    const whole = shape === "value"
      ? first
      : shape === "fields"
      ? Object.fromEntries(names.map((name, index) => [name, checked[index]]))
      : checked;
    const { body, headers } = encodeWith(codec, own, whole, result);
    const response = responses.respond(status, body, headers, call, values);
    return finish ? finishWith(finish, call.request, response) : response;
  };

  const writer: ResultWriter = {
    plan,
    responses,
    write(value, call) {
      const plain = answerPlain?.(value, call);
      if (plain) return plain;
      // Some runtimes look their classes up at each mention: what is plain needs none.
      if (shape === "stream" || value && value.constructor !== Object && value instanceof Response) {
        if (streams) return streams.write(value, call, writer);
      } else if (shape === "channel") {
        if (channel) return channel(value, call, writer);
      } else if (shape === "none") return writer.respondEmpty(call);
      else {
        const offer = choose(call);
        const values = shape === "value" || schemas.length === 1 ? [value] : value;
        if (!Array.isArray(values)) throw new TypeError(`Answer "${call.name}": expected a list of the results`);
        const checked: unknown[] = checks?.map((check, index) => check(values[index])) ?? values;
        return checked.some((one) => one instanceof Promise)
          ? Promise.all(checked).then((checked) => encode(offer, values, checked, call))
          : encode(offer, values, checked, call);
      }
      throw neededPart(call.name, "streams or writeChannel");
    },
    respondHead: (call) => responses.respond(status, null, { ...entries, "content-type": contentType }, call),
    respondEmpty: (call) =>
      responses.respond(shape === "none" || status !== 200 ? status : 204, null, { ...entries }, call),
  };
  const answerPlain = quick?.results(writer, offer, choose);
  return writer;
}

async function finishWith(steps: readonly Finish[], request: Request, response: Response): Promise<Response> {
  for (const step of steps) response = await step(request, response);
  return response;
}
