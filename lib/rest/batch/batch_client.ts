import {
  type AnswerLine,
  callText,
  isBatchable,
  LINES,
  PATH,
  readLine,
  responseOf,
  sharedHeaders,
} from "./batch_lines.ts";
import { type Client, DIRECT } from "../call/core_client.ts";
import { mediaType } from "../codecs/codec.ts";
import { readLines } from "../channels/ndjson.ts";

/**
 * Options of {@linkcode batchCalls}.
 *
 * @example
 * ```ts
 * import { batchCalls, type BatchCallsOptions } from "../batch.ts";
 * const patient: BatchCallsOptions = { path: "/v1/batch", wait: 5, calls: 20, bytes: 65536 };
 * const client = batchCalls({ fetch }, patient);
 * ```
 */
export interface BatchCallsOptions {
  /** The path at which the server takes batches; `/batch` by default. */
  readonly path?: string;
  /** Milliseconds for which calls are gathered; 0 by default: those that are made in one turn of the event loop. */
  readonly wait?: number;
  /** The most calls in a batch; 50 by default. */
  readonly calls?: number;
  /** The most bytes of bodies in a batch; 1 Mi by default. A call that alone has more travels alone. */
  readonly bytes?: number;
}

interface Waiting {
  readonly request: Request;
  readonly body: Uint8Array;
  resolve(response: Response): void;
  reject(error: unknown): void;
}

/**
 * A client whose calls travel together: those made in one turn of the event loop are one request to a server that has {@linkcode answerBatches},
 * and each is settled as soon as its own answer comes. Calls with other headers (credentials, say) go in other batches.
 * One that is alone travels as it is, and so do channels, forms with files and bodies of bytes. A call that is aborted leaves the others
 * alone; when all are, the request is.
 *
 * @param client The sender of requests: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { api, int64, link, rest } from "../mod.ts";
 * import { batchCalls } from "../batch.ts";
 * const stock = api("stock.example.com", { Count: rest("GET /count/{of=%v}", [int64], [int64]) });
 * const answers = ["1", "0"].map((id) => `{"id":${id},"status":200,"headers":[["content-type","text/plain"]],"text":"7"}\n`);
 * const headers = { "content-type": "application/x-ndjson" };
 * const fetch = () => Promise.resolve(new Response(answers.join(""), { headers }));
 * const client = link(stock, "http://localhost", batchCalls({ fetch }));
 * console.assert((await Promise.all([client.Count(1n), client.Count(2n)])).join() === "7,7");
 * ```
 */
export function batchCalls(client: Client = DIRECT, options: BatchCallsOptions = {}): Client {
  const { path = PATH, wait = 0, calls = 50, bytes = 1 << 20 } = options;
  const gathered = new Map<string, Waiting[]>();
  const flush = (key: string) => {
    const waiting = gathered.get(key) ?? [];
    gathered.delete(key);
    let group: Waiting[] = [];
    let size = 0;
    for (const one of waiting.filter(({ request }) => !request.signal.aborted)) {
      if (group.length >= calls || group.length > 0 && size + one.body.length > bytes) {
        sendBatch(group, client, path);
        [group, size] = [[], 0];
      }
      group.push(one);
      size += one.body.length;
    }
    sendBatch(group, client, path);
  };
  return {
    ...client,
    async fetch(request) {
      if (!isBatchable(request)) return await client.fetch(request);
      // Asking for a body makes a stream: most calls have none.
      const hasBody = request.method !== "GET" && request.method !== "HEAD";
      const body = new Uint8Array(hasBody ? await request.clone().arrayBuffer() : new ArrayBuffer(0));
      request.signal.throwIfAborted();
      if (body.length > bytes) return await client.fetch(request);
      const key = new URL(request.url).origin + JSON.stringify([...sharedHeaders(request)]);
      return await new Promise((resolve, reject) => {
        const waiting = gathered.get(key);
        if (!waiting) setTimeout(flush, wait, key);
        const one = { request, body, resolve, reject };
        if (waiting) waiting.push(one);
        else gathered.set(key, [one]);
        request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
      });
    },
  };
}

function sendBatch(group: Waiting[], client: Client, path: string): void {
  const [first] = group;
  if (!first) return;
  if (group.length === 1) return void client.fetch(first.request).then(first.resolve, first.reject);
  const leave = new AbortController();
  let left = group.length;
  for (const { request: { signal } } of group) {
    signal.addEventListener("abort", () => --left || leave.abort(signal.reason), { once: true });
  }
  const lines = group.map(({ request, body }, id) => callText(id, request, body) + "\n");
  const headers = sharedHeaders(first.request);
  headers.set("content-type", LINES);
  headers.set("accept", LINES);
  const url = new URL(path, first.request.url);
  const request = new Request(url, { method: "POST", headers, body: lines.join(""), signal: leave.signal });
  receiveAnswers(request, client, group).catch((error) => {
    for (const { reject } of group) reject(error);
  });
}

async function receiveAnswers(request: Request, client: Client, group: Waiting[]): Promise<void> {
  const response = await client.fetch(request);
  if (!response.ok || mediaType(response.headers.get("content-type") ?? "") !== LINES) {
    await response.body?.cancel();
    throw new Error(
      `Send a batch: ${new URL(request.url).pathname} answered with status ${response.status}, and no lines`,
    );
  }
  for await (const text of readLines((response.body ?? new Blob([]).stream()).getReader())) {
    const line = readLine(text) as AnswerLine | undefined;
    const response = line && responseOf(line);
    if (!response) throw new Error("Read a batch: a line is no answer");
    // A call that is settled already stays as it is.
    for (const one of line.id === undefined ? group : [group[line.id]]) one?.resolve(response.clone());
  }
  throw new Error("Send a batch: the call was not answered");
}
