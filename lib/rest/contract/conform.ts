/**
 * Property tests of any server, from the definition it is to serve: calls with made-up arguments, and requests that must be refused.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest } from "../mod.ts";
 * import { conform } from "./conform.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const users = api("users.example.com", { Find: rest("GET /users?limit=%v", [z.int().positive()], [z.array(z.string())]) });
 * const fetch = handler(null, implement(users, { Find: (limit) => ["a", "b"].slice(0, limit) }));
 * const { calls, failures } = await conform(users, "http://localhost", { client: { fetch } });
 * console.assert(calls > 20 && failures.length === 0);
 * ```
 * @module
 */
import { type Client, DIRECT } from "../call/core_client.ts";
import type { Definition } from "../definition.ts";
import { declaredErrors } from "../plan/declared_errors.ts";
import { HTTPError } from "../error.ts";
import { link } from "../link.ts";
import { markerOf } from "../plan/kind.ts";
import { streamMarkerOf } from "../plan/marker.ts";
import type { Plan } from "../plan/plan_types.ts";
import { canStandInHeader, canStandInPath, type Random, sampleValue, sampleValues, seededRandom } from "./sample.ts";
import { isAsyncIterable, isRecord } from "../codecs/record.ts";

/**
 * The options of {@linkcode conform}.
 *
 * @example
 * ```ts
 * import type { ConformOptions } from "./conform.ts";
 * const options: ConformOptions = { operations: ["Get", "Put"], runs: 100, allowed: [404], seed: 7 };
 * ```
 */
export interface ConformOptions {
  /** The sender of requests; the platform's `fetch` by default. */
  readonly client?: Client;
  /** The operations to call; by default those of GET and HEAD, which change nothing. */
  readonly operations?: readonly string[];
  /** Calls of each operation; 20 by default. */
  readonly runs?: number;
  /**
   * Statuses of refusal that made-up arguments may meet; 401, 403, 404, 409, 410, 422 and 429 by default, and those that an operation
   * declares.
   */
  readonly allowed?: readonly number[];
  /** Decides the arguments; 1 by default. A failure names it. */
  readonly seed?: number;
  /** Milliseconds for each call; 10,000 by default. */
  readonly timeout?: number;
}

/**
 * A call that was answered as the definition does not say.
 *
 * @example
 * ```ts
 * import type { Failure } from "./conform.ts";
 * const line = ({ operation, expected, got }: Failure) => `${operation}: expected ${expected}, got ${got}`;
 * ```
 */
export interface Failure {
  readonly operation: string;
  readonly expected: string;
  readonly got: string;
  /** The arguments, for a call by them. */
  readonly arguments?: readonly unknown[];
  readonly seed: number;
}

/**
 * The outcome of {@linkcode conform}.
 *
 * @example
 * ```ts
 * import type { Conformance } from "./conform.ts";
 * const passes = ({ calls, failures, untried }: Conformance) => calls > 0 && failures.length === 0 && untried.length === 0;
 * ```
 */
export interface Conformance {
  /** Requests that were sent. */
  readonly calls: number;
  readonly failures: readonly Failure[];
  /** Operations that no arguments could be made up for, with the reason. */
  readonly untried: readonly { readonly operation: string; readonly reason: string }[];
}

const REFUSALS = [401, 403, 404, 409, 410, 422, 429];
/** How many values of a channel are read: it may have no end. */
const VALUES = 5;

/**
 * Calls the operations of a server with made-up arguments. Each call has to be answered with the status of success and results
 * that fit their schemas, or with an allowed refusal; a request that leaves out what is required, with 4xx; and a path that no
 * operation has, with 404.
 *
 * @param base Where the server is
 *
 * @example
 * ```ts
 * import { api, rest } from "../mod.ts";
 * import { conform } from "./conform.ts";
 * const ping = api("x", { Ping: rest("GET /ping") });
 * const fetch = () => Promise.resolve(new Response(null, { status: 500 }));
 * const { failures: [first] } = await conform(ping, "http://localhost", { client: { fetch } });
 * console.assert(first.operation === "Ping" && first.got.startsWith("500"));
 * ```
 */
export async function conform(
  definition: Definition,
  base: string = definition.base,
  options: ConformOptions = {},
): Promise<Conformance> {
  const trial = new Trial(definition, base, options);
  for (const plan of definition.plans) {
    if (options.operations?.includes(plan.name) ?? /^(?:GET|HEAD)$/.test(plan.method)) await trial.tryOperation(plan);
  }
  await trial.tryUnknownPath();
  return trial;
}

class Trial implements Conformance {
  calls = 0;
  readonly failures: Failure[] = [];
  readonly untried: { operation: string; reason: string }[] = [];
  readonly #definition: Definition;
  readonly #base: string;
  readonly #options: ConformOptions;
  readonly #seed: number;
  readonly #random: Random;
  /** The last request and the status it was answered with. */
  #request: Request | undefined;
  #status: number | undefined;

  constructor(definition: Definition, base: string, options: ConformOptions) {
    this.#definition = definition;
    this.#base = (/^\w[\w+.-]*:\/\//.test(base) ? base : `https://${base}`).replace(/\/+$/, "");
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#random = seededRandom(this.#seed);
  }

  async tryOperation(plan: Plan): Promise<void> {
    const { runs = 20 } = this.#options;
    for (let i = 0; i < runs; i++) {
      let args: unknown[];
      try {
        args = await this.#arguments(plan);
      } catch (error) {
        this.untried.push({ operation: plan.name, reason: String(error) });
        return;
      }
      await this.#call(plan, args);
    }
    await this.#leaveOut(plan);
  }

  async tryUnknownPath(): Promise<void> {
    const path = `/${crypto.randomUUID()}/of/no/operation`;
    const response = await this.#send(new Request(this.#base + path));
    if (response === undefined) return;
    const { status } = response;
    const takesAll = this.#definition.plans.some(({ segments }) => segments[0]?.type !== "literal");
    if (!takesAll && status !== 404 && status !== 401) {
      this.#fail("(none)", "404 for a path of no operation", `${status}`);
    }
    await response.body?.cancel();
  }

  async #call(plan: Plan, args: readonly unknown[]): Promise<void> {
    const { timeout = 10_000 } = this.#options;
    const allowed = [...new Set([...this.#options.allowed ?? REFUSALS, ...declaredErrors(plan).keys()])];
    this.#status = undefined;
    const expected = `${plan.status}, or a refusal with ${allowed.join(", ")}`;
    try {
      // The answer of a WebSocket has no status to look at.
      const result = await this.#function(plan)(...args, { timeout, websocket: false });
      if (plan.result.fallible) {
        const failure = Array.isArray(result) ? result.at(-1) : result;
        if (failure instanceof Error) throw failure;
      }
      await readSome(result);
      if (this.#status === plan.status || this.#status === 304) return;
      this.#fail(plan.name, expected, `${this.#status}`, args);
    } catch (error) {
      const isRefusal = error instanceof HTTPError && this.#status !== undefined && this.#status >= 400;
      // One of another status is the client's own: the body is not what the definition says.
      if (isRefusal && error.status === this.#status && allowed.includes(this.#status)) return;
      this.#fail(plan.name, expected, isRefusal ? `${this.#status}: ${error.message}` : causesOf(error), args);
    }
  }

  /** Sends the last request of an operation again without each thing that is required of its query or body. */
  async #leaveOut(plan: Plan): Promise<void> {
    if (this.#request === undefined) return;
    const required = plan.query.filter(({ argument, path, absent, followed }) =>
      path.length === 0 && absent === undefined && !followed && !isOptional(plan, argument)
    );
    for (const { name } of required) {
      const url = new URL(this.#request.url);
      url.searchParams.delete(name);
      const { method, headers } = this.#request;
      if (plan.body !== undefined) continue;
      const response = await this.#send(new Request(url, { method, headers }));
      if (response === undefined) continue;
      const { status } = response;
      await response.body?.cancel();
      const text = `4xx for a request without "${name}"`;
      if (status < 400 || status >= 500) this.#fail(plan.name, text, `${status}`);
    }
  }

  #function(plan: Plan): (...args: unknown[]) => Promise<unknown> {
    const client = link(this.#definition, this.#base, { ...this.#client, fetch: (request) => this.#watch(request) });
    // Functions by name, made of the plans of the same definition.
    const found = plan.name.split(".").reduce<unknown>(
      (table, name) => (table as Record<string, unknown>)[name],
      client,
    );
    return found as (...args: unknown[]) => Promise<unknown>;
  }

  get #client(): Client {
    return this.#options.client ?? DIRECT;
  }

  async #watch(request: Request): Promise<Response> {
    this.calls++;
    this.#request = request.clone();
    const response = await this.#client.fetch(request);
    this.#status = response.status;
    return response;
  }

  /** Sends a request; a server that cannot be reached is a failure, and undefined. */
  async #send(request: Request): Promise<Response | undefined> {
    this.calls++;
    try {
      return await this.#client.fetch(request);
    } catch (error) {
      this.#fail("(none)", "an answer", causesOf(error));
      return undefined;
    }
  }

  async #arguments(plan: Plan): Promise<unknown[]> {
    const made: unknown[] = [];
    const headed = plan.unplaced.filter((index) => !plan.body?.arguments.includes(index));
    for (const [index, { schema }] of plan.arguments.entries()) {
      const marker = markerOf(schema);
      const places = plan.parameters.filter(({ argument }) => argument === index);
      const canStand = headed.includes(index)
        ? canStandInHeader
        : (value: unknown) => places.every(({ path, remainder }) => canStandInPath(valueAt(value, path), remainder));
      if (isOptional(plan, index) && this.#random() < 0.5) made.push(undefined);
      else if (marker === "chan") made.push(sampleValues(schema, this.#random, VALUES));
      else made.push(streamMarkerOf(schema) ? "made up" : await sampleValue(schema, this.#random, canStand));
    }
    return made;
  }

  #fail(operation: string, expected: string, got: string, args?: readonly unknown[]): void {
    this.failures.push({ operation, expected, got, ...(args && { arguments: args }), seed: this.#seed });
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((within, name) => isRecord(within) ? within[name] : undefined, value);
}

/** Whether an argument may be left out. */
function isOptional(plan: Plan, argument: number): boolean {
  const checked = plan.arguments[argument].schema["~standard"].validate(undefined);
  return !(checked instanceof Promise) && checked.issues === undefined;
}

/** The words of an error and of its cause: `fetch` only says in the cause that nobody listens. */
function causesOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? `${error}: ${error.cause.message}` : String(error);
}

/** Reads the first values of a channel, and a stream to its end. */
async function readSome(result: unknown): Promise<void> {
  for (const one of Array.isArray(result) ? result : [result]) {
    if (one instanceof ReadableStream) { for await (const _ of one) { /* it only has to come */ } }
    else if (isAsyncIterable(one)) {
      let count = 0;
      for await (const _ of one) if (++count === VALUES) break;
    }
  }
}
