import type { ClientChannels } from "./client_channels.ts";
import type { ClientEvents } from "./client_events.ts";
import type { ClientRequests } from "./client_requests.ts";
import type { WireOperation } from "./client_table.ts";
import type { ClientValues } from "./client_values.ts";

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

/** What {@linkcode clientCalls} makes. */
export interface ClientCalls {
  APIError: new (status: number, message: string, body: unknown) => Error & { status: number; body: unknown };
  connect(base: string, options?: ConnectOptions): ClientFunctions;
}

/** Calls and their results. The client module carries this function's own text, so that it must need nothing from outside of itself. */
export function clientCalls(
  operations: readonly WireOperation[],
  values: ClientValues,
  requests: ClientRequests,
  channels: ClientChannels,
  events: ClientEvents,
): ClientCalls {
  /** An answer that is a failure: its status, and its body as far as it could be read. */
  class APIError extends Error {
    override name = "APIError";
    constructor(readonly status: number, message: string, readonly body: unknown) {
      super(message);
    }
  }

  const readError = async (response: Response) => {
    const text = await response.text();
    let body: unknown = text;
    try {
      if (/json/i.test(response.headers.get("content-type") ?? "")) body = JSON.parse(text);
    } catch { /* The text tells more than that it is no JSON. */ }
    const fields = values.isRecord(body) ? body : {};
    const words = [fields.detail, fields.title, fields.message, body].find((word) => typeof word === "string" && word);
    return new APIError(response.status, String(words ?? `Answered with status ${response.status}`), body);
  };

  const readResult = async ({ result }: WireOperation, response: Response) => {
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
    const named = values.isRecord(value) ? result.names.map((name) => value[name]) : [];
    const list = result.shape === "list" ? value as unknown[] : named;
    return list.length === 1 ? list[0] : list;
  };

  const accept = ({ result: { shape, type } }: WireOperation): Record<string, string> => {
    if (shape === "none" || shape === "stream") return {};
    // A channel that fails says so in its last line.
    if (shape === "channel") return { accept: `${type};errors=line` };
    return { accept: type === "text/plain" ? "text/plain, application/json;q=0.9" : type };
  };

  const limit = ({ signal, timeout }: ModuleCallOptions, leave: AbortController) =>
    AbortSignal.any([
      leave.signal,
      ...(signal ? [signal] : []),
      ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)]),
    ]);

  /** Puts a function where its name says; one can stand beside functions that have its name in front of theirs. */
  const put = (table: ClientFunctions, [name, ...inner]: string[], made: ClientFunctions[string]) => {
    const known = Object.hasOwn(table, name) ? table[name] : undefined;
    const value = inner.length > 0 ? known ?? {} : made;
    if (inner.length > 0) put(value as ClientFunctions, inner, made);
    else if (known) Object.defineProperties(made, Object.getOwnPropertyDescriptors(known));
    Object.defineProperty(table, name, { value, enumerable: true, configurable: true });
  };

  const connect = (base: string, client: ConnectOptions = {}) => {
    const origin = (/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `https://${base}`).replace(/\/+$/, "");
    const send = client.fetch ?? ((request: Request) => fetch(request));

    const call = async (operation: WireOperation, args: unknown[], options: ModuleCallOptions) => {
      const { url, init } = requests.write(operation, origin, args);
      const leave = new AbortController();
      const signal = limit(options, leave);
      const headers = new Headers();
      for (const more of [init.headers, client.headers, options.headers]) {
        new Headers(more).forEach((value, name) => headers.set(name, value));
      }
      const decode = (text: string) => values.readJSON(text, operation.result.kind);
      const open = operation.result.shape === "channel";
      if (open && options.websocket) {
        if (init.method !== "GET") throw new TypeError(`Open "${operation.name}" over a WebSocket: only a GET can be`);
        return channels.messages(url.replace(/^http/, "ws"), headers, decode, signal);
      }
      for (const [name, value] of Object.entries(accept(operation))) {
        if (!headers.has(name)) headers.set(name, value);
      }
      const request = new Request(url, { ...init, headers, signal });
      const ask = async (request: Request) => {
        const response = await send(request);
        if (!response.ok) throw await readError(response);
        return response;
      };
      if (open && options.events) return events.open(request, ask, decode, () => leave.abort());
      const response = ask(request);
      if (open) return channels.lines(response, decode, () => leave.abort());
      return await readResult(operation, await response);
    };

    const functionOf = (operation: WireOperation) => async (...given: unknown[]) => {
      const { count, result: { fallible, count: results } } = operation;
      const args = given.slice(0, count);
      const options: ModuleCallOptions = values.isRecord(given[count]) ? given[count] : {};
      if (!fallible) return await call(operation, args, options);
      try {
        const value = await call(operation, args, options);
        if (results === 0) return undefined;
        return results === 1 ? [value, undefined] : [...value as unknown[], undefined];
      } catch (error) {
        return results === 0 ? error : [...new Array(results).fill(undefined), error];
      }
    };

    const table: ClientFunctions = {};
    for (const operation of operations) put(table, operation.name.split("."), functionOf(operation));
    return table;
  };

  return { APIError, connect };
}
