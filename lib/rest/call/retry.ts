import { type Client, DIRECT } from "./core_client.ts";
import { sleep } from "./sleep.ts";

/**
 * Options of {@linkcode retry}.
 *
 * @example
 * ```ts
 * import { retry, type RetryOptions } from "../mod.ts";
 * const patient: RetryOptions = { attempts: 10, delay: 1000, statuses: [503] };
 * const client = retry(patient);
 * ```
 */
export interface RetryOptions {
  /** How often a request is sent at the most; 3 by default. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; twice as many before each that follows, give or take a quarter. 200 by default. */
  readonly delay?: number;
  /** The longest wait in milliseconds. A server that asks for a longer one with `Retry-After` gets no other attempt. 30,000 by default. */
  readonly longest?: number;
  /** Which answers are tried again: 408, 425, 429, 502, 503 and 504 by default. */
  readonly statuses?: readonly number[];
  /** Up to how many bytes a body is kept to be sent again; a longer one is sent once, as it comes. 1 MiB by default. */
  readonly body?: number;
}

const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * A client that sends idempotent requests (RFC 9110, 9.2.2) again when the network fails or the server asks for it, and waits as long as
 * `Retry-After` says.
 *
 * @param client What sends it then: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { retry } from "../mod.ts";
 *
 * let calls = 0;
 * const fetch = () => Promise.resolve(new Response(null, { status: ++calls < 3 ? 503 : 204 }));
 * const client = retry({ delay: 1 }, { fetch });
 * console.assert((await client.fetch(new Request("http://localhost"))).status === 204 && calls === 3);
 * ```
 */
export function retry(options: RetryOptions = {}, client: Client = DIRECT): Client {
  const { attempts = 3, delay = 200, longest = 30_000, statuses = [408, 425, 429, 502, 503, 504], body = 1 << 20 } =
    options;
  return {
    ...client,
    async fetch(request) {
      if (!IDEMPOTENT.has(request.method)) return client.fetch(request);
      const next = await repeatable(request, body);
      for (let attempt = 1;; attempt++) {
        const { request: sent, last } = next();
        const isLast = last || attempt >= attempts;
        let wait = delay * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
        try {
          const response = await client.fetch(sent);
          if (isLast || !statuses.includes(response.status)) return response;
          wait = readRetryAfter(response.headers.get("retry-after")) ?? wait;
          if (wait > longest) return response;
          await response.body?.cancel();
        } catch (error) {
          // A call that the caller has aborted is not tried again; only a network's failure is a TypeError.
          if (isLast || request.signal.aborted || !(error instanceof TypeError)) throw error;
        }
        await sleep(Math.min(wait, longest), request.signal);
      }
    },
  };
}

/** Makes the same request again and again, unless its body is too long to be kept. */
async function repeatable(request: Request, limit: number): Promise<() => { request: Request; last: boolean }> {
  if (request.body === null) return () => ({ request: new Request(request), last: false });
  const reader = request.body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const bare = new Request(request.url, {
    method: request.method,
    headers: request.headers,
    redirect: request.redirect,
    signal: request.signal,
  });
  for (let size = 0; size <= limit;) {
    const { done, value } = await reader.read();
    if (done) return () => ({ request: new Request(bare, { body: new Blob(chunks) }), last: false });
    chunks.push(value);
    size += value.length;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const kept = chunks.shift();
      const { done, value } = kept === undefined ? await reader.read() : { done: false, value: kept };
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  // The library of types does not know `duplex`, which a stream needs.
  return () => ({ request: new Request(bare, { body, duplex: "half" } as RequestInit), last: true });
}

/** Reads seconds or a date (RFC 9110, 10.2.3) as milliseconds from now. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
