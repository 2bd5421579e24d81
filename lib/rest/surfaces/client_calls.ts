import type { ClientChannels } from "./client_channels.ts";
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
  /** Opens a channel as a WebSocket, which carries no headers. */
  websocket?: boolean;
}

/** What {@linkcode clientCalls} makes. */
export interface ClientCalls {
  APIError: new (status: number, message: string, body: unknown) => Error & { status: number; body: unknown };
  connect(base: string, options?: ConnectOptions): Record<string, (...args: unknown[]) => Promise<unknown>>;
}

/** Calls and their results. The client module carries this function's own text, so that it must need nothing from outside of itself. */
export function clientCalls(
  operations: readonly WireOperation[],
  values: ClientValues,
  requests: ClientRequests,
  channels: ClientChannels,
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
    const text = await response.text();
    const type = response.headers.get("content-type") ?? result.type;
    const value = /json/i.test(type) ? values.readJSON(text, result.kind) : values.readText(text, result.kind);
    if (result.shape === "value") return value;
    const named = values.isRecord(value) ? result.names.map((name) => value[name]) : [];
    const list = result.shape === "list" ? value as unknown[] : named;
    return list.length === 1 ? list[0] : list;
  };

  const accept = ({ result: { shape, type } }: WireOperation): Record<string, string> =>
    shape === "none" || shape === "stream"
      ? {}
      : { accept: type === "text/plain" ? "text/plain, application/json;q=0.9" : type };

  const limit = ({ signal, timeout }: ModuleCallOptions, leave: AbortController) =>
    AbortSignal.any([
      leave.signal,
      ...(signal ? [signal] : []),
      ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)]),
    ]);

  const connect = (base: string, client: ConnectOptions = {}) => {
    const origin = (/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `https://${base}`).replace(/\/+$/, "");
    const send = client.fetch ?? ((request: Request) => fetch(request));

    const call = async (operation: WireOperation, args: unknown[], options: ModuleCallOptions) => {
      const { url, init } = requests.write(operation, origin, args);
      const open = operation.result.shape === "channel";
      const decode = (text: string) => values.readJSON(text, operation.result.kind);
      if (open && options.websocket) return channels.messages(url.replace(/^http/, "ws"), decode);
      const leave = new AbortController();
      const headers = new Headers(accept(operation));
      for (const more of [init.headers, client.headers, options.headers]) {
        new Headers(more).forEach((value, name) => headers.set(name, value));
      }
      const response = send(new Request(url, { ...init, headers, signal: limit(options, leave) })).then(async (got) => {
        if (!got.ok) throw await readError(got);
        return got;
      });
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

    return Object.fromEntries(operations.map((operation) => [operation.name, functionOf(operation)]));
  };

  return { APIError, connect };
}
