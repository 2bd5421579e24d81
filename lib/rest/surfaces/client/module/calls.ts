/**
 * Calls and their results: the entry of the client module, which carries the bundle of this file.
 *
 * @module
 */
import type { ClientTable, WireOperation } from "../client_table.ts";
import { requestOf } from "./requests.ts";
import { callDuplex, type ModuleDuplex } from "./duplex.ts";
import { sendsPieces } from "../../../codecs/stream_body.ts";
import { eventChannel, lineChannel, socketChannel, textChannel } from "./shared.ts";
import type { ClientChannel } from "./channels.ts";
import { isPlainObject, jsonOfValue, textOfValue, ValueReader } from "./values.ts";
import { isAsyncIterable } from "../../../codecs/record.ts";

/** How a client of the module reaches the API. */
export interface ConnectOptions {
  /** Sent with every request, as `{authorization: "Bearer …"}`. */
  headers?: HeadersInit;
  fetch?: (request: Request) => Promise<Response>;
}

/** The options of one call, after its arguments. */
export interface ModuleCallOptions {
  signal?: AbortSignal;
  /** Milliseconds until the call is given up. */
  timeout?: number;
  headers?: HeadersInit;
  /** Opens a channel as a WebSocket. In a browser no header goes with it but a credential. */
  websocket?: boolean;
  /** Opens a channel as server-sent events, and connects again where it left when the connection breaks. */
  events?: boolean;
}

/** The functions of an API, nested as in its definition. */
export interface ClientFunctions {
  [name: string]: ClientFunctions | ((...args: unknown[]) => Promise<unknown>);
}

/** The exports of a client module that are the same for every API. */
export interface ModuleClient {
  APIError: typeof APIError;
  outcomeOf: typeof outcomeOf;
  connect(base: string, options?: ConnectOptions): ClientFunctions;
}

/** Makes the client of a table. */
export function makeClient({ operations, structs }: ClientTable): ModuleClient {
  const values = new ValueReader(structs);
  return {
    APIError,
    outcomeOf,
    connect(base, options = {}) {
      const caller = new Caller(values, base, options);
      const table: ClientFunctions = {};
      for (const operation of operations) putFunction(table, operation.name.split("."), caller.functionOf(operation));
      return table;
    },
  };
}

/** Calls one server. */
class Caller {
  readonly #values: ValueReader;
  readonly #origin: string;
  readonly #headers: HeadersInit | undefined;
  readonly #send: (request: Request) => Promise<Response>;
  /** Whether requests go where the platform's do. */
  readonly #isDirect: boolean;

  constructor(values: ValueReader, base: string, { headers, fetch: send }: ConnectOptions) {
    this.#values = values;
    this.#origin = (/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `https://${base}`).replace(/\/+$/, "");
    this.#headers = headers;
    this.#send = send ?? ((request) => fetch(request));
    this.#isDirect = send === undefined;
  }

  /** Returns an operation as a function: its arguments, then options. */
  functionOf(operation: WireOperation): (...given: unknown[]) => Promise<unknown> {
    return async (...given) => {
      const { count, result: { fallible, count: results } } = operation;
      const args = given.slice(0, count);
      const options: ModuleCallOptions = isPlainObject(given[count]) ? given[count] : {};
      if (!fallible) return await this.#call(operation, args, options);
      try {
        const value = await this.#call(operation, args, options);
        if (results === 0) return undefined;
        return results === 1 ? [value, undefined] : [...value as unknown[], undefined];
      } catch (error) {
        return results === 0 ? error : [...new Array(results).fill(undefined), error];
      }
    };
  }

  async #call(operation: WireOperation, args: unknown[], options: ModuleCallOptions): Promise<unknown> {
    const source = this.#sourceOf(operation, args, options);
    const { url, init } = requestOf(operation, this.#origin, args.map((one) => one === source ? undefined : one));
    const leave = new AbortController();
    const signal = signalOf(options, leave);
    const headers = new Headers();
    for (const [name, argument] of operation.headers ?? []) {
      const value = args[argument];
      if (value !== undefined && value !== null) headers.set(name, textOfValue(value));
    }
    for (const more of [init.headers, this.#headers, options.headers]) {
      new Headers(more).forEach((value, name) => headers.set(name, value));
    }
    const decode = (text: string) => this.#values.readJSON(text, operation.result.kind);
    const open = operation.result.shape === "channel";
    if (source) {
      const call = callDuplex(url, operation.method, headers, source, jsonOfValue, signal);
      return open ? this.#readDuplex(call, operation, decode) : await this.#answerOf(call, operation);
    }
    if (open && options.websocket) {
      if (init.method !== "GET") throw new TypeError(`Open "${operation.name}" over a WebSocket: only a GET can be`);
      return socketChannel(url.replace(/^http/, "ws"), headers, decode, signal);
    }
    for (const [name, value] of Object.entries(acceptOf(operation))) {
      if (!headers.has(name)) headers.set(name, value);
    }
    const request = new Request(url, { ...init, headers, signal });
    // Called as a function: the platform's `fetch` takes no receiver.
    const send = this.#send;
    const ask = async (request: Request) => {
      const response = await send(request);
      if (!response.ok) throw await readError(response, operation.errors ?? [], this.#values);
      return response;
    };
    if (open && options.events) return eventChannel(request, ask, decode, () => leave.abort());
    const response = ask(request);
    if (open) return lineChannel(response, decode, () => leave.abort());
    return await readResult(operation, await response, this.#values);
  }

  /** Returns the channel among the arguments that goes over a WebSocket, if one does. */
  #sourceOf(
    { body, result }: WireOperation,
    args: unknown[],
    options: ModuleCallOptions,
  ): AsyncIterable<unknown> | undefined {
    const source = body?.lines && args[body.arguments[0]];
    if (!isAsyncIterable(source) || result.shape === "stream") return undefined;
    // A browser reads no answer before it has sent the whole body.
    const byDefault = this.#isDirect && (result.shape === "channel" || !sendsPieces());
    return options.websocket ?? byDefault ? source : undefined;
  }

  #readDuplex<T>(call: ModuleDuplex, operation: WireOperation, decode: (text: string) => T): ClientChannel<T> {
    const next = async () => {
      const text = await call.next();
      if (text === undefined) await this.#answerOf(call, operation);
      return text;
    };
    return textChannel(next, call.close, decode);
  }

  /** Reads the answer of a call over a WebSocket; that of a channel is there only if it failed. */
  async #answerOf(call: ModuleDuplex, operation: WireOperation): Promise<unknown> {
    // Throws what ended the WebSocket.
    const [response] = await Promise.all([call.answer, call.next()]);
    if (response && !response.ok) throw await readError(response, operation.errors ?? [], this.#values);
    if (operation.result.shape === "channel") return undefined;
    if (!response) throw new Error(`Call "${operation.name}": closed without an answer`);
    return await readResult(operation, response, this.#values);
  }
}

/** An answer that is a failure: its status, its body as far as it could be read, and whether its operation declares it. */
class APIError extends Error {
  override name = "APIError";
  constructor(readonly status: number, message: string, readonly body: unknown, readonly declared: boolean) {
    super(message);
  }
}

/** Reads an answer that is a failure. The body of one that its operation declares is of the kind that this says. */
async function readError(
  response: Response,
  errors: NonNullable<WireOperation["errors"]>,
  values: ValueReader,
): Promise<APIError> {
  const { status } = response;
  const text = await response.text();
  const declared = errors.find(([one]) => one === status);
  let body: unknown = text;
  try {
    if (/json/i.test(response.headers.get("content-type") ?? "")) {
      body = declared?.[1] ? values.readJSON(text, declared[1]) : JSON.parse(text);
    }
  } catch { /* The text tells more than that it is no JSON. */ }
  const fields = isPlainObject(body) ? body : {};
  const words = [fields.detail, fields.title, fields.message, body].find((word) => typeof word === "string" && word);
  return new APIError(status, String(words ?? `Answered with status ${status}`), body, declared !== undefined);
}

/** The outcome of a call: its value, an error that its operation declares, by its status, or another. */
async function outcomeOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    const value = await call;
    if (isAsyncIterable(value)) await (value as Partial<ClientChannel<unknown>>).opened;
    return { ok: true, value };
  } catch (error) {
    return { ok: false, status: error instanceof APIError && error.declared ? error.status : undefined, error };
  }
}

async function readResult({ result }: WireOperation, response: Response, values: ValueReader): Promise<unknown> {
  if (result.shape === "none") {
    await response.body?.cancel();
    return undefined;
  }
  if (result.shape === "stream") return response.body ?? new Blob([]).stream();
  if (response.status === 204) return undefined;
  if (result.fields) {
    const multipart = /^multipart/.test(response.headers.get("content-type") ?? "");
    const form = multipart ? await response.formData() : new URLSearchParams(await response.text());
    return await values.readForm(form, result.fields);
  }
  const text = await response.text();
  const type = response.headers.get("content-type") ?? result.type;
  const value = /json/i.test(type) ? values.readJSON(text, result.kind) : values.readText(text, result.kind);
  if (result.shape === "value") return value;
  const named = isPlainObject(value) ? result.names.map((name) => value[name]) : [];
  const list = result.shape === "list" ? value as unknown[] : named;
  return list.length === 1 ? list[0] : list;
}

/** Returns the headers that ask for a result. */
function acceptOf({ result: { shape, type } }: WireOperation): Record<string, string> {
  if (shape === "none" || shape === "stream") return {};
  // A channel that fails says so in its last line.
  if (shape === "channel") return { accept: `${type};errors=line` };
  return { accept: type === "text/plain" ? "text/plain, application/json;q=0.9" : type };
}

/** Returns a signal that ends a call: the caller's, the time limit's, or its channel's end. */
function signalOf({ signal, timeout }: ModuleCallOptions, leave: AbortController): AbortSignal {
  return AbortSignal.any([
    leave.signal,
    ...(signal ? [signal] : []),
    ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)]),
  ]);
}

/** Puts a function where its name says; one can stand beside functions that have its name in front of theirs. */
function putFunction(table: ClientFunctions, [name, ...inner]: string[], made: ClientFunctions[string]): void {
  const known = Object.hasOwn(table, name) ? table[name] : undefined;
  const value = inner.length > 0 ? known ?? {} : made;
  if (inner.length > 0) putFunction(value as ClientFunctions, inner, made);
  else if (known) Object.defineProperties(made, Object.getOwnPropertyDescriptors(known));
  Object.defineProperty(table, name, { value, enumerable: true, configurable: true });
}
