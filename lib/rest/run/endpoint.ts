import { type Authenticator, identify } from "../auth.ts";
import type { Call } from "./call.ts";
import { type Codec, codecForBody, codecsOf, findCodec, mediaType } from "../codecs/codec.ts";
import { type Forward, forwardOf } from "./forwarded.ts";
import { HTTPError } from "../error.ts";
import { type AnyFunction, findFunction, type Implementation } from "../implement.ts";
import type { BodyPlan, Plan } from "../plan/plan_types.ts";
import { isUnasked, refuseCrossSite } from "./cross_site.ts";
import { argumentReader, type ReadArguments, validateArguments } from "./read_arguments.ts";
import { readBody } from "./read_body.ts";
import { isRecord } from "../codecs/record.ts";
import type { ResponseWriter } from "./write_response.ts";
import { ResultWriter } from "./write_result.ts";

/** One operation, ready to answer requests. */
export class Endpoint {
  readonly plan: Plan;
  readonly responses: ResponseWriter;
  readonly #auth: Authenticator<unknown> | null;
  #function: AnyFunction | undefined;
  /** The object that the function is called on. */
  readonly #functions: unknown;
  /** How the function passes calls on, if it does. */
  readonly #forward: Forward | undefined;
  readonly #readArguments: ReadArguments;
  readonly #results: ResultWriter;
  readonly #codecs: readonly Codec[];
  /** Whether the operation may take a socket over. */
  readonly #upgrades: boolean;

  constructor(
    plan: Plan,
    { definition: { options }, functions }: Implementation,
    auth: Authenticator<unknown> | null,
    responses: ResponseWriter,
  ) {
    this.plan = plan;
    this.#upgrades = /^(channel|stream)$/.test(plan.result.shape);
    this.responses = responses;
    this.#auth = auth;
    [this.#function, this.#functions] = findFunction(functions, plan.name);
    const { codecs: more, around, places } = responses.parts;
    const codecs = codecsOf(options.codecs, more);
    if (around && this.#function) this.#function = around(plan, this.#function, codecs);
    this.#forward = this.#function && forwardOf(this.#function);
    const read = argumentReader(plan, options.query ?? {}, codecsOf([], more));
    this.#readArguments = places?.(plan, read) ?? read;
    this.#results = new ResultWriter(plan, codecs, responses);
    // Of the parts only what the tag says is read: pages of other sites can send forms.
    const tagged = plan.body && findCodec(codecs, plan.body.contentType);
    const types = [tagged, ...codecsOf(options.codecs)].map((codec) => codec?.type);
    this.#codecs = codecs.filter(({ type }) => types.includes(type));
  }

  /** Answers a call. Never rejects. */
  async run(call: Call): Promise<Response> {
    try {
      const { plan: { name, body }, responses: { parts } } = this;
      const auth = this.#auth;
      const run = this.#function;
      if (this.#upgrades && call.request.headers.has("upgrade")) refuseCrossSite(call.request, auth, "the upgrade");
      // An authenticator that is undefined by mistake throws here, and lets nobody in.
      if (auth !== null) call.identity = await identify(auth, call.request, name);
      if (!run) throw new HTTPError(501, `Call "${name}": it is not implemented`, { kind: "unimplemented" });
      // As long as it will be: a list that grows takes room for many more.
      let values: unknown[] = new Array(this.plan.arguments.length + 1);
      if (body) placeBody(body, await this.#readBody(body, call), values);
      this.#readArguments(call.captures, call.query, values, call.request);
      const forward = this.#forward;
      const decoded = forward && values.slice(0, -1);
      const validated = validateArguments(this.plan, values);
      if (validated) await validated;
      parts.headers?.read(values, call.request);
      if (auth?.authorize) await auth.authorize(call.identity, call.request, name, values.slice(0, -1));
      if (forward && parts.streams && !call.request.headers.has("upgrade")) {
        const response = await forward(decoded!, values, call);
        return await parts.streams.write(response, call, this.#results);
      }
      if (decoded) values = [...decoded, call];
      else values[values.length - 1] = call;
      const isHead = call.request.method === "HEAD" && this.plan.method !== "HEAD";
      if (isHead && this.#upgrades) return this.#results.respondHead(call);
      const result: unknown = run.apply(this.#functions, values);
      const response = this.#results.write(result instanceof Promise ? await result : result, call);
      const answer = response instanceof Promise ? await response : response;
      if (body?.item && !this.#upgrades) call.finish();
      return isHead ? withoutBody(answer) : answer;
    } catch (error) {
      const response = this.responses.error(error, call);
      // Once the socket is taken over there is no status to send; the peer sees it end.
      return call.upgraded ?? response;
    }
  }

  /** Reads the body: a stream, or the promise of a value. */
  #readBody({ shape, contentType, kind, item }: BodyPlan, call: Call): unknown {
    const { request: sent, platform } = call;
    const { limit, asTagged } = this.plan;
    const { decode, streams, receive } = this.responses.parts;
    const type = sent.headers.get("content-type");
    // A type that is read as any other is as good as none.
    const isAny = asTagged || shape === "stream";
    if (!type || isAny && mediaType(type) !== mediaType(contentType) && isUnasked(mediaType(type))) {
      refuseCrossSite(sent, this.#auth, "the body");
    }
    const request = decode?.(sent, limit, shape) ?? sent;
    if (item) return receive?.(request, this.plan, call);
    if (shape === "stream") return streams?.read(request, limit);
    const codec = codecForBody(this.#codecs, asTagged ? null : type, contentType, kind);
    // The platform has not bounded a compressed body's size after decompression.
    return readBody(request, limit, codec, { kind }, request === sent && platform.boundedBodies);
  }
}

function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => {});
  return new Response(null, response);
}

function placeBody({ shape, names, arguments: indexes }: BodyPlan, value: unknown, values: unknown[]): void {
  const isOne = shape === "value" || shape === "stream";
  if (isOne) values[indexes[0]] = value;
  if (isOne || value === undefined) return;
  const isFields = shape === "fields";
  const list = isFields ? isRecord(value) && names.map(ownOf, value) : value;
  if (!Array.isArray(list)) {
    throw new HTTPError(400, `Read the body: expected ${isFields ? "an object" : "a list of the arguments"}`, {
      kind: "body",
    });
  }
  for (const [index, argument] of indexes.entries()) values[argument] = list[index];
}

function ownOf(this: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(this, name) ? this[name] : undefined;
}
