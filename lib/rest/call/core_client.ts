import { type Codec, codecsOf } from "../codecs/codec.ts";
import type { Definition, Namespace, Operations } from "../definition.ts";
import { readProblem } from "../error.ts";
import type { CallOptions, ClientFunction } from "../plan/function_types.ts";
import type { AnyFunction, FunctionTable, Implementation } from "../implement.ts";
import { isRecord } from "../codecs/record.ts";
import type { HeaderValues } from "../codecs/header_value.ts";
import type { Channel } from "../plan/marker.ts";
import type { Plan } from "../plan/plan_types.ts";
import { type DecodeError, readError, readResult } from "./read_result.ts";
import { writeRequest, type WriteStream } from "./write_request.ts";
import type { OpenWebSocket, Receive } from "./receive.ts";

/**
 * The sender of a linked API's requests. A {@linkcode Handler} fits, which calls an API without a network.
 *
 * @example
 * ```ts
 * import { api, type Client, int64, link, rest } from "../mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const client: Client = { fetch: ({ url }) => Promise.resolve(new Response(url.includes("a=1&b=2") ? "3" : "?")) };
 * console.assert(await link(calculator, "http://localhost", client).Add(1n, 2n) === 3n);
 * ```
 */
export interface Client {
  fetch(request: Request): Promise<Response>;
  /** What `fetch` adds to a request, for what is not sent by it: a WebSocket. */
  prepare?(request: Request): Request;
  /**
   * Whether channels are WebSockets by default, and lines of JSON only where none can be opened: `fetch` then goes where the platform's own
   * does. Without a `fetch` of one's own they are.
   */
  readonly websocket?: boolean;
  /** Opens a channel's WebSocket where the platform's own cannot: it goes where `fetch` does, with the request's headers. */
  readonly openWebSocket?: OpenWebSocket;
  /** Receives the values of channels over HTTP in a way of its own. */
  readonly receive?: Receive;
}

/**
 * The functions of a linked API.
 *
 * @example
 * ```ts
 * import { api, int64, link, type Linked, rest } from "../mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * type Calculator = Linked<typeof calculator.operations>;
 * const double = (client: Calculator, n: bigint) => client.Add(n, n);
 * const fetch = () => Promise.resolve(new Response("4"));
 * console.assert(await double(link(calculator, "http://localhost", { fetch }), 2n) === 4n);
 * ```
 */
export type Linked<D extends Operations> = {
  readonly [K in keyof D]: D[K] extends Namespace ? Linked<D[K]["operations"]> : ClientFunction<D[K]>;
};

/**
 * The parts of a client beyond JSON, text and streams.
 *
 * @example
 * ```ts
 * import { type ClientParts, form, multipart, readChannel } from "../client.ts";
 * const parts: ClientParts = { codecs: [form, multipart], channel: readChannel };
 * ```
 */
export interface ClientParts {
  /** More content types. */
  readonly codecs?: readonly Codec[];
  /** Reads channels. */
  readonly channel?: (
    plan: Plan,
    request: Request,
    fetch: (request: Request) => Promise<Response>,
    options: CallOptions,
    client: Client,
  ) => Channel<unknown>;
  /** Makes bodies of stream arguments that `fetch` does not take, and of channels. */
  readonly stream?: WriteStream;
  /** Lets arguments write headers and results read them. */
  readonly headers?: HeaderValues;
  /** Puts something around the calls of an operation, which `make` makes by this client or another. */
  readonly around?: (plan: Plan, make: MakeCall, client: Client) => CallOperation;
  /** Makes the errors that an operation declares. */
  readonly failures?: (plan: Plan, codecs: readonly Codec[], decode: DecodeError) => DecodeError;
  /** Has a function of the linked API pass on what a server that serves it is sent. */
  readonly forward?: (
    run: AnyFunction,
    plan: Plan,
    codecs: readonly Codec[],
    base: string,
    client: Client,
    parts: ClientParts,
  ) => AnyFunction;
}

/** Sends with the platform's `fetch`. */
export const DIRECT: Client = { fetch: (request) => fetch(request), websocket: true };

/**
 * Makes the functions of an API elsewhere callable, with the parts it needs: see {@linkcode link}.
 *
 * @example
 * ```ts
 * import { api, form, linkWith, rest } from "../client.ts";
 * import { z } from "npm:zod@4.6.7";
 * const Note = z.object({ text: z.string() });
 * const notes = api("notes.example.com", { Add: rest("POST(application/x-www-form-urlencoded) /notes", [Note]) });
 * const sent: string[] = [];
 * const client = linkWith({ codecs: [form] }, notes, "http://localhost", {
 *   async fetch(request) {
 *     sent.push(await request.text());
 *     return new Response(null, { status: 204 });
 *   },
 * });
 * await client.Add({ text: "milk & bread" });
 * console.assert(sent[0] === "text=milk+%26+bread");
 * ```
 */
export function linkWith<const D extends Operations>(
  parts: ClientParts,
  definition: Definition<D>,
  at: string = definition.base,
  client: Client = DIRECT,
): Linked<D> & Implementation {
  const origin = at.replace(/^(?!\w[\w+.-]*:\/\/)/, "https://").replace(/\/+$/, "");
  const codecs = codecsOf(definition.options.codecs, parts.codecs);
  const decodeError = definition.options.errors?.decode ?? readProblem;
  const functions = {};
  const linked = {};
  for (const plan of definition.plans) {
    const { name, arguments: { length } } = plan;
    const make: MakeCall = (client) => caller(plan, codecs, origin, client, decodeError, parts);
    const call = parts.around?.(plan, make, client) ?? make(client);
    // A server's call, for a proxy: the last argument is the context, and errors are thrown.
    const serve = (...given: unknown[]) => call(given, { signal: (given[length] as CallOptions).signal });
    put(functions, name, parts.forward?.(serve, plan, codecs, origin, client, parts) ?? serve);
    put(linked, name, (...given: unknown[]) => {
      const options: CallOptions = isRecord(given[length]) ? given[length] : {};
      return plan.result.fallible
        ? settle(call(given, options), plan.parsed.resultRules.length || plan.result.schemas.length)
        : call(given, options);
    });
  }
  // Its prototype is not seen beside its functions, of which one of the same name wins. They are made name by name from the definition's own
  // plans, as the type says.
  return Object.setPrototypeOf(linked, { definition, functions }) as Linked<D> & Implementation;
}

/** Puts a function where its name says. */
function put(table: FunctionTable, name: string, value: AnyFunction): void {
  const path = name.split(".");
  const last = path.pop()!;
  // Tables of this module's own making.
  for (const key of path) table = (table as Record<string, FunctionTable>)[key] ??= {};
  (table as Record<string, AnyFunction>)[last] = value;
}

/** Puts the error of a call last among its results. */
async function settle(call: Promise<unknown>, count: number): Promise<unknown> {
  const withError = (values: readonly unknown[], error?: Error) => count ? [...values, error] : error;
  try {
    const value = await call;
    // Several results are a list.
    return withError(count > 1 ? value as unknown[] : [value]);
  } catch (error) {
    return withError(new Array(count), error instanceof Error ? error : new Error(String(error), { cause: error }));
  }
}

/** Calls an operation. */
export type CallOperation = (args: readonly unknown[], options: OwnOptions) => Promise<unknown>;

/** Makes the calls of an operation by a client. */
export type MakeCall = (client: Client) => CallOperation;

/** The options of a call with what parts of the client add to them. */
export interface OwnOptions extends CallOptions {
  /** Called with the answer of success before it is read. */
  response?(response: Response): void;
}

function caller(
  plan: Plan,
  codecs: readonly Codec[],
  base: string,
  client: Client,
  decodeError: DecodeError,
  { channel, headers, stream, failures }: ClientParts,
): CallOperation {
  const decode = failures?.(plan, codecs, decodeError) ?? decodeError;
  const { shape, contentType } = plan.result;
  const accept = shape === "none" || shape === "stream"
    ? undefined
    : contentType === "text/plain"
    ? "text/plain, application/json;q=0.9"
    : contentType;
  const send = async (request: Request) => {
    const response = await client.fetch(request);
    if (response.ok) return response;
    // A server in the same process may answer an abort: the caller sees the abort itself instead.
    request.signal.throwIfAborted();
    throw await readError(response, decode);
  };
  return async (args, options) => {
    const { timeout, signal, headers: own } = options;
    const ends = timeout == null ? [] : [AbortSignal.timeout(timeout)];
    if (signal) ends.push(signal);
    const request = writeRequest(plan, codecs, base, args, accept, AbortSignal.any(ends), headers, stream);
    new Headers(own).forEach((value, name) => request.headers.set(name, value));
    if (shape !== "channel") {
      const response = await send(request);
      options.response?.(response);
      return readResult(plan, codecs, response, headers);
    }
    if (!channel) throw new TypeError(`Call "${plan.name}": no channels here`);
    return channel(plan, request, send, options, client);
  };
}
