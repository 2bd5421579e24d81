import type { Authenticator } from "./auth.ts";
import type { Call } from "./call.ts";
import { type Codec, codecForBody, codecsOf } from "./codec.ts";
import { HTTPError } from "./error.ts";
import { exactJSON } from "./exact_json.ts";
import { exactText } from "./exact_text.ts";
import { form } from "./form.ts";
import type { AnyFunction, Implementation } from "./implement.ts";
import type { BodyPlan, Plan } from "./plan_types.ts";
import { readPlaced, validateArguments } from "./read_arguments.ts";
import { checkLength, limitStream, readBody } from "./read_body.ts";
import { isRecord } from "./record.ts";
import { ResultWriter } from "./write_result.ts";
import { ErrorWriter } from "./write_error.ts";
import { fixedHeaders } from "./response_headers.ts";
import type { HandlerOptions } from "./handler.ts";

/** One operation, ready to answer requests. */
export class Endpoint {
  readonly plan: Plan;
  readonly errors: ErrorWriter;
  readonly #auth: Authenticator<unknown> | null;
  readonly #function: AnyFunction | undefined;
  readonly #functions: Implementation["functions"];
  readonly #query: { ignoreCase?: boolean; emptyIsAbsent?: boolean };
  readonly #results: ResultWriter;
  readonly #codecs: readonly Codec[];

  constructor(
    plan: Plan,
    implementation: Implementation,
    auth: Authenticator<unknown> | null,
    options: HandlerOptions,
  ) {
    const { definition, functions } = implementation;
    this.plan = plan;
    this.#auth = auth;
    this.#functions = functions;
    this.#function = Object.hasOwn(functions, plan.name) || plan.name in functions ? functions[plan.name] : undefined;
    this.#query = definition.options.query ?? {};
    this.#codecs = codecsOf(definition.options.codecs, [exactText, form, exactJSON]);
    const headers = fixedHeaders(definition.options.headers);
    this.errors = new ErrorWriter(definition.options.errors, headers, auth, options);
    this.#results = new ResultWriter(
      plan,
      this.#codecs,
      headers,
      auth,
      (error, call) => this.errors.describe(error, call),
    );
  }

  /** Answers a call. Never rejects. */
  run(call: Call): Promise<Response> {
    try {
      const response = this.#auth === null && this.plan.body === undefined ? this.#quick(call) : this.#whole(call);
      return response instanceof Promise
        ? response.catch((error) => this.#fail(error, call))
        : Promise.resolve(response);
    } catch (error) {
      return Promise.resolve(this.#fail(error, call));
    }
  }

  #fail(error: unknown, call: Call): Response {
    const response = this.errors.write(error, call);
    // Once the socket is taken over there is no status to send; the peer sees it end.
    return call.upgraded ?? response;
  }

  /** The way of calls that need nothing to be waited for before the function runs. */
  #quick(call: Call): Response | Promise<Response> {
    const values: unknown[] = new Array(this.plan.arguments.length).fill(undefined);
    readPlaced(this.plan, call.captures, call.query, this.#query, values);
    const validated = validateArguments(this.plan, values);
    return validated === undefined ? this.#invoke(call, values) : validated.then(() => this.#invoke(call, values));
  }

  async #whole(call: Call): Promise<Response> {
    const { plan } = this;
    const auth = this.#auth;
    if (auth !== null) call.identity = await auth.authenticate(call.request, plan.name);
    if (this.#function === undefined) throw this.#missing();
    const values: unknown[] = new Array(plan.arguments.length).fill(undefined);
    if (plan.body !== undefined) await this.#readBody(plan.body, call, values);
    readPlaced(plan, call.captures, call.query, this.#query, values);
    const validated = validateArguments(plan, values);
    if (validated !== undefined) await validated;
    if (auth?.authorize !== undefined) await auth.authorize(call.identity, call.request, plan.name, values);
    return await this.#invoke(call, values);
  }

  async #readBody(body: BodyPlan, call: Call, values: unknown[]): Promise<void> {
    const { request } = call;
    const { plan } = this;
    if (body.shape === "stream") {
      checkLength(request, plan.limit);
      values[body.arguments[0]] = limitStream(request.body ?? new Blob([]).stream(), plan.limit);
      return;
    }
    const given = plan.asTagged ? null : request.headers.get("content-type");
    const codec = codecForBody(this.#codecs, given, body.contentType, body.kind);
    const text = await readBody(request, plan.limit);
    let value: unknown;
    try {
      value = codec.decode(text, { kind: body.kind, revive: body.revive, replace: false });
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new HTTPError(400, `Read the body as ${codec.type}: ${detail}`, { kind: "body", cause });
    }
    this.#distribute(body, value, values);
  }

  #distribute(body: BodyPlan, value: unknown, values: unknown[]): void {
    if (body.shape === "value") values[body.arguments[0]] = value;
    else if (value === undefined) return;
    else if (body.shape === "fields") {
      if (!isRecord(value)) throw new HTTPError(400, "Read the body: expected an object", { kind: "body" });
      for (const [index, argument] of body.arguments.entries()) {
        if (Object.hasOwn(value, body.names[index])) values[argument] = value[body.names[index]];
      }
    } else {
      if (!Array.isArray(value)) {
        throw new HTTPError(400, "Read the body: expected a list of the arguments", { kind: "body" });
      }
      for (const [index, argument] of body.arguments.entries()) values[argument] = value[index];
    }
  }

  #missing(): HTTPError {
    return new HTTPError(501, `Call "${this.plan.name}": it is not implemented`, { kind: "unimplemented" });
  }

  #invoke(call: Call, values: unknown[]): Response | Promise<Response> {
    if (this.#function === undefined) throw this.#missing();
    values.push(call);
    const result: unknown = this.#function.apply(this.#functions, values);
    return result instanceof Promise
      ? result.then((settled) => this.#results.write(settled, call))
      : this.#results.write(result, call);
  }
}
