import { checkOf } from "./check_result.ts";
import type { Call } from "./call.ts";
import { type Codec, encodeWith, findCodec, mediaType } from "../codecs/codec.ts";
import { requirePart } from "../error.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { ResponseWriter } from "./write_response.ts";

/** A content type that can be answered. */
export interface Offer {
  readonly codec: Codec;
  /** The headers of its answers, if nothing is added to them. */
  readonly headers: Record<string, string>;
}

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
  const { name, status, result } = plan;
  const { shape, contentType, schemas } = result;
  const { parts, headers: { entries } } = responses;
  const tagged = findCodec(codecs, contentType);
  const isTagged = tagged?.carries(result.kind);
  // JSON is always among them, and carries anything.
  const codec = isTagged ? tagged! : findCodec(codecs, "application/json")!;
  const isDialect = isTagged && mediaType(contentType) !== codec.type;
  const type = isDialect ? contentType : codec.header ?? codec.type;
  const offer = { codec, headers: { ...entries, "content-type": type } };
  /** Chooses the content type of an answer. */
  const choose = parts.negotiate?.(plan, offer, codecs) ?? (() => offer);
  /** The check of each result; none where they are trusted. */
  const checks = plan.trusted
    ? undefined
    : schemas.map((schema, index) => checkOf(plan, schema, result.kinds[index], parts));

  /** @param values The results as the function returned them, which write their headers */
  const encode = (
    offer: Offer,
    values: readonly unknown[],
    checked: readonly unknown[],
    call: Call,
  ): Response | Promise<Response> => {
    const whole = shape === "value"
      ? checked[0]
      : shape === "fields"
      ? Object.fromEntries(result.names.map((name, index) => [name, checked[index]]))
      : checked;
    if (whole === undefined) return writer.respondEmpty(call);
    const made = encodeWith(offer.codec, offer.headers, whole, result);
    const response = responses.respond(status, made.body, made.headers, call, values);
    return parts.finish?.reduce<Response | Promise<Response>>(
      async (made, step) => step(call.request, await made),
      response,
    ) ?? response;
  };

  const writer: ResultWriter = {
    plan,
    responses,
    write(value, call) {
      // Some runtimes look their classes up at each mention: what is plain needs none.
      if (shape === "stream" || value && value.constructor !== Object && value instanceof Response) {
        return requirePart(parts.streams, name, "streams").write(value, call, writer);
      }
      if (shape === "channel") return requirePart(parts.channel, name, "writeChannel")(value, call, writer);
      if (shape === "none") return writer.respondEmpty(call);
      const offer = choose(call);
      const values = shape === "value" || schemas.length === 1 ? [value] : value;
      if (!Array.isArray(values)) throw new TypeError(`Answer "${name}": expected a list of the results`);
      const checked: unknown[] = checks?.map((check, index) => check(values[index])) ?? values;
      return checked.some((one) => one instanceof Promise)
        ? Promise.all(checked).then((checked) => encode(offer, values, checked, call))
        : encode(offer, values, checked, call);
    },
    respondHead: (call) => responses.respond(status, null, { ...entries, "content-type": contentType }, call),
    respondEmpty: (call) =>
      responses.respond(shape === "none" || status !== 200 ? status : 204, null, { ...entries }, call),
  };
  return parts.quick?.results(writer, offer, choose) ?? writer;
}
