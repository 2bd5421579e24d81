import { type Authenticator, identify } from "../auth.ts";
import { Call } from "./call.ts";
import { codecForBody, codecsOf, findCodec, mediaType } from "../codecs/codec.ts";
import type { MayForward } from "./forwarded.ts";
import { HTTPError } from "../error.ts";
import { findFunction, type Implementation } from "../implement.ts";
import type { BodyPlan, Plan } from "../plan/plan_types.ts";
import { isUnasked, refuseCrossSite } from "./cross_site.ts";
import { argumentReader, validateArguments } from "./read_arguments.ts";
import type { Match } from "../route/router.ts";
import type { Platform } from "../context.ts";
import { readBody } from "./read_body.ts";
import { wrong } from "../codecs/query_values.ts";
import { isRecord } from "../codecs/record.ts";
import type { ResponseWriter } from "./write_response.ts";
import { resultWriter } from "./write_result.ts";

/** One operation, ready to answer requests: the router has found what `query` and `match` say. Never rejects. */
export type Endpoint = (
  request: Request,
  platform: Platform,
  query: string,
  match: Pick<Match<unknown>, "captures" | "version">,
) => Promise<Response>;

/** Prepares an operation. It is one function, not a class: what it needs are variables, which are found fast and weigh little. */
export function makeEndpoint(
  plan: Plan,
  { definition: { options }, functions }: Implementation,
  auth: Authenticator<unknown> | null,
  responses: ResponseWriter,
): Endpoint {
  const { name, body, limit, asTagged, arguments: { length } } = plan;
  const { parts } = responses;
  const codecs = codecsOf(options.codecs, parts.codecs);
  /** Whether the operation may take a socket over. */
  const upgrades = /stream|chan/.test(plan.result.shape);
  const [own, holder] = findFunction(functions, name);
  const run = own && parts.around?.(plan, own, codecs) || own;
  const read = argumentReader(plan, options.query, codecsOf([], parts.codecs));
  const readArguments = parts.places?.(plan, read) ?? read;
  const arePlain = parts.quick?.arguments(plan);
  const results = resultWriter(plan, codecs, responses);
  // Of the parts only what the tag says is read: pages of other sites can send forms.
  const types = [body && findCodec(codecs, body.contentType), ...codecsOf(options.codecs)].map((codec) => codec?.type);
  const readable = codecs.filter(({ type }) => types.includes(type));

  /** Reads the body: a stream, or the promise of a value. */
  const receiveBody = ({ shape, contentType, kind, item }: BodyPlan, call: Call): unknown => {
    const sent = call.request;
    const type = sent.headers.get("content-type");
    const media = type === contentType ? type : type && mediaType(type);
    // A type that is read as any other is as good as none.
    if (!media || (asTagged || shape === "stream") && media !== mediaType(contentType) && isUnasked(media)) {
      refuseCrossSite(sent, auth, "the body");
    }
    const request = parts.decode?.(sent, limit, shape) ?? sent;
    if (item) return parts.receive?.(request, plan, call);
    if (shape === "stream") return parts.streams?.read(request, limit);
    const codec = codecForBody(readable, asTagged ? null : type, contentType, kind);
    // The platform has not bounded a compressed body's size after decompression.
    return readBody(request, limit, codec, { kind }, request === sent && call.platform.boundedBodies);
  };

  return async (request, platform, query, { version, captures }) => {
    const call = new Call(request, platform, name, version, parts);
    try {
      const asks = upgrades && request.headers.has("upgrade");
      if (asks) refuseCrossSite(request, auth, "the upgrade");
      // An authenticator that is undefined by mistake throws here, and lets nobody in.
      if (auth !== null) call.identity = await identify(auth, request, name);
      if (!run) throw new HTTPError(501, `Call "${name}": it is not implemented`, { kind: "unimplemented" });
      // As long as it will be: a list that grows takes room for many more.
      const values: unknown[] = new Array(length + 1);
      if (body) placeBody(body, await receiveBody(body, call), values);
      readArguments(captures, query, values, request);
      if ((run as MayForward).decoded) call.decoded = values;
      let given: unknown[] = values;
      if (!arePlain?.(values)) {
        const validated = validateArguments(plan, values);
        given = validated instanceof Promise ? await validated : validated;
        parts.headers?.read(given, request);
      }
      if (auth?.authorize) await auth.authorize(call.identity, request, name, given.slice(0, length));
      given[length] = call;
      const isHead = plan.method !== "HEAD" && request.method === "HEAD";
      // No socket is taken over for it.
      if (isHead && asks) return results.respondHead(call);
      const result: unknown = run.apply(holder, given);
      const response = results.write(result instanceof Promise ? await result : result, call);
      const answer = response instanceof Promise ? await response : response;
      if (body?.item && !upgrades) call.finish();
      if (!isHead) return answer;
      answer.body?.cancel().catch(() => {});
      return new Response(null, answer);
    } catch (error) {
      const response = responses.error(error, call);
      // Once the socket is taken over there is no status to send; the peer sees it end.
      return call.upgraded ?? response;
    }
  };
}

function placeBody(plan: BodyPlan, value: unknown, values: unknown[]): void {
  const { shape } = plan;
  const isFields = shape === "fields";
  const list = shape === "value" || shape === "stream" ? [value] : value === undefined ? [] : isFields
    // Only what is its own: a name may be one that every object has.
    ? isRecord(value) && plan.names.map((name) => Object.hasOwn(value, name) ? value[name] : undefined)
    : value;
  if (!Array.isArray(list)) {
    throw wrong(`Read the body: expected ${isFields ? "an object" : "a list of the arguments"}`, undefined, "body");
  }
  plan.arguments.forEach((argument, index) => values[argument] = list[index]);
}
