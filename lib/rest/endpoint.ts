import type { Authenticator } from "./auth.ts";
import type { Call } from "./call.ts";
import { type Codec, codecForBody, codecsOf, findCodec } from "./codec.ts";
import type { HandlerOptions, ServerParts } from "./core_server.ts";
import { HTTPError } from "./error.ts";
import type { AnyFunction, FunctionTable, Implementation } from "./implement.ts";
import type { BodyPlan, Plan } from "./plan_types.ts";
import { argumentReader, type ReadArguments, validateArguments } from "./read_arguments.ts";
import { readBody } from "./read_body.ts";
import { isRecord } from "./record.ts";
import { fixedHeaders } from "./response_headers.ts";
import { ErrorWriter } from "./write_error.ts";
import { ResultWriter } from "./write_result.ts";

/** One operation, ready to answer requests. */
export class Endpoint {
  readonly plan: Plan;
  readonly errors: ErrorWriter;
  readonly #auth: Authenticator<unknown> | null;
  readonly #parts: ServerParts;
  readonly #function: AnyFunction | undefined;
  /** What the function is called on. */
  readonly #functions: unknown;
  readonly #readArguments: ReadArguments;
  readonly #results: ResultWriter;
  readonly #codecs: readonly Codec[];

  constructor(
    plan: Plan,
    { definition: { options }, functions }: Implementation,
    auth: Authenticator<unknown> | null,
    settings: HandlerOptions,
    parts: ServerParts,
  ) {
    this.plan = plan;
    this.#auth = auth;
    this.#parts = parts;
    const path = plan.name.split(".");
    const last = path.pop()!;
    // What the types of `implement` have checked: tables all the way, then a function.
    const holder = path.reduce<FunctionTable | undefined>((table, name) => table?.[name] as FunctionTable, functions);
    this.#functions = holder;
    this.#function = holder?.[last] as AnyFunction | undefined;
    const [text, json] = ["text/plain", "application/json"].map((type) => findCodec(codecsOf([], parts.codecs), type)!);
    this.#readArguments = argumentReader(plan, options.query ?? {}, text, json);
    const codecs = codecsOf(options.codecs, parts.codecs);
    // Of the parts only what the tag says is read: pages of other sites can send forms.
    const types = [...codecsOf(options.codecs), plan.body && findCodec(codecs, plan.body.contentType)];
    this.#codecs = codecs.filter(({ type }) => types.some((codec) => codec?.type === type));
    const headers = fixedHeaders(options.headers);
    this.errors = new ErrorWriter(options.errors, headers, auth, settings);
    this.#results = new ResultWriter(plan, codecs, headers, auth, this.errors, parts);
  }

  /** Answers a call. Never rejects. */
  async run(call: Call): Promise<Response> {
    try {
      const { plan } = this;
      const auth = this.#auth;
      const run = this.#function;
      if (auth !== null) call.identity = await auth.authenticate(call.request, plan.name);
      if (run === undefined) {
        throw new HTTPError(501, `Call "${plan.name}": it is not implemented`, { kind: "unimplemented" });
      }
      const values: unknown[] = [];
      if (plan.body !== undefined) placeBody(plan.body, await this.#readBody(plan.body, call.request), values);
      this.#readArguments(call.captures, call.query, values);
      const validated = validateArguments(plan, values);
      if (validated !== undefined) await validated;
      this.#parts.headers?.read(values, call.request);
      if (auth?.authorize !== undefined) await auth.authorize(call.identity, call.request, plan.name, values);
      values.push(call);
      const result: unknown = run.apply(this.#functions, values);
      const response = this.#results.write(result instanceof Promise ? await result : result, call);
      return response instanceof Promise ? await response : response;
    } catch (error) {
      const response = this.errors.write(error, call);
      // Once the socket is taken over there is no status to send; the peer sees it end.
      return call.upgraded ?? response;
    }
  }

  /** Reads the body: a stream, or the promise of a value. */
  #readBody({ shape, contentType, kind, revive }: BodyPlan, request: Request): unknown {
    const { limit, asTagged } = this.plan;
    if (shape === "stream") return this.#parts.streams?.read(request, limit);
    const codec = codecForBody(this.#codecs, asTagged ? null : request.headers.get("content-type"), contentType, kind);
    return readBody(request, limit, codec, { kind, revive, replace: false });
  }
}

function placeBody({ shape, names, arguments: indexes }: BodyPlan, value: unknown, values: unknown[]): void {
  if (shape === "value" || shape === "stream") {
    values[indexes[0]] = value;
    return;
  }
  if (value === undefined) return;
  const list = shape === "fields" ? isRecord(value) && names.map(ownOf, value) : value;
  if (!Array.isArray(list)) {
    const expected = shape === "fields" ? "an object" : "a list of the arguments";
    throw new HTTPError(400, `Read the body: expected ${expected}`, { kind: "body" });
  }
  for (const [index, argument] of indexes.entries()) values[argument] = list[index];
}

function ownOf(this: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(this, name) ? this[name] : undefined;
}
