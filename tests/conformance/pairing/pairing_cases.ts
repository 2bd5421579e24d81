/** What any client must get from any server. Runs on every runtime: it throws errors of its own and imports no test library. */
import { type Channel, type Client, header, HTTPError, link } from "../../../lib/rest/mod.ts";
import { events } from "../../../lib/rest/events.ts";
import { everything, piecesOf, TOKEN } from "./pairing_api.ts";

/** A linked client of the API. */
type API = ReturnType<typeof linked>;

const linked = (base: string, client?: Client) => link(everything, base, client);

/** How a client under test reaches the server. */
export interface Reach {
  readonly base: string;
  readonly client?: Client;
  /** False where there is no socket between them: a handler that is called has no WebSocket to give. */
  readonly socket?: boolean;
}

const value = {
  text: 'quotes " and \\ and \u2028, 日本 and 🦕',
  flag: false,
  ratio: -0.1,
  count: 2n ** 63n - 1n,
  at: new Date("2026-11-21T01:02:03.004Z"),
  list: [{ name: "", tags: [] }, { name: "a", tags: ["x", ""] }],
  map: { "": 0, "a.b": 1e21, __proto: -1 },
  nothing: null,
};

/** Calls that give a value, and the value. */
const values: Record<string, [call: (api: API) => Promise<unknown>, expected: unknown]> = {
  "big integers": [(api) => api.Add(2n ** 62n, 2n ** 61n), 2n ** 62n + 2n ** 61n],
  "the largest": [(api) => api.Largest(), 2n ** 64n - 1n],
  "a struct of everything": [(api) => api.Echo(value), value],
  "text in a path": [(api) => api.Name("a/b c", "é%2F?#🦕"), "é%2F?#🦕, a/b c"],
  "a remainder": [(api) => api.File("a/b c/日本+;="), "a/b c/日本+;="],
  "a struct in a query": [
    (api) => api.Search({ word: "a&b=c +%", tag: ["x", "y,z", ""], limit: 0, exact: false }),
    { word: "a&b=c +%", tag: ["x", "y,z", ""], limit: 0, exact: false },
  ],
  "one element of a list in a query": [(api) => api.Search({ tag: ["x"] }), { tag: ["x"] }],
  "a form": [(api) => api.Form({ name: "a b&c=d+é", copies: 2 }), { name: "a b&c=d+é", copies: 3 }],
  "a time": [(api) => api.Later(new Date(0)), new Date(1)],
  "bytes": [(api) => api.Flip(Uint8Array.of(0, 255, 128, 10)), Uint8Array.of(10, 128, 255, 0)],
  "two results": [(api) => api.Divide(7n, 2n), [3n, 1n, undefined]],
  "nothing": [(api) => api.Nothing(), undefined],
  "a stream that goes": [(api) => api.Upload(piecesOf(1_000_000)), { length: 1_000_000, sum: 7_000_000 % 65521 }],
  "a stream that comes": [async (api) => length(await api.Download(1_000_000)), 1_000_000],
  "pieces that go": [(api) => api.Upload(someOf(["é", Uint8Array.of(1, 2), "", "x"])), {
    length: 5,
    sum: 0xc3 + 0xa9 + 3 + 120,
  }],
  "pieces that come": [async (api) => await new Response(await api.Pieces(5)).text(), "é0 1 é2 3 é4 "],
};

async function* someOf<T>(pieces: readonly T[]): AsyncGenerator<T, void> {
  for (const piece of pieces) {
    await Promise.resolve();
    yield piece;
  }
}

/** Calls that fail, the status, and words of the message. */
const failures: Record<string, [call: (api: API) => Promise<unknown>, status: number, words: string]> = {
  "a refusal": [(api) => api.Refuse("x/y"), 409, 'Refuse "x/y": it is in use'],
  "a function that is not there": [(api) => api.Missing(), 501, "not implemented"],
  "a failure before the first piece": [(api) => api.Pieces(1000), 422, "too many"],
  "a failure as the last result": [async (api) => Promise.reject((await api.Divide(1n, 0n))[2]), 422, "by zero"],
};

async function length(stream: ReadableStream<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of stream) length += piece.length;
  return length;
}

/** Runs every case; gives the names of those that passed, and throws for the first that does not. */
export async function runCases({ base, client, socket = true }: Reach): Promise<string[]> {
  const passed: string[] = [];
  const authorized = header("authorization", `Bearer ${TOKEN}`, client);
  const api = linked(base, authorized);
  const run = async (name: string, test: () => Promise<void>) => {
    try {
      await test();
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.stack : error}`);
    }
    passed.push(name);
  };
  for (const [name, [call, expected]] of Object.entries(values)) {
    await run(name, async () => same(await call(api), expected));
  }
  for (const [name, [call, status, words]] of Object.entries(failures)) {
    await run(name, () => fails(() => call(api), words, status));
  }
  await run("a caller that is not known", () => fails(() => linked(base, client).Add(1n, 2n), "bearer token", 401));
  await run("a body that is compressed, and its answer", () => compressed(base, authorized));
  const ways = { lines: api, events: linked(base, events(authorized)), websocket: api };
  for (const [way, api] of Object.entries(ways)) {
    if (way === "websocket" && !socket) continue;
    await run(`channels over ${way}`, () => channels(api, { websocket: way === "websocket" }));
  }
  return passed;
}

/** No client of ours compresses what it sends: these requests are made by hand. */
async function compressed(base: string, { fetch = globalThis.fetch, prepare }: Client): Promise<void> {
  const post = (path: string, coding: string, body: Uint8Array<ArrayBuffer>) => {
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-encoding": coding };
    const request = new Request(base + path, { method: "POST", headers, body });
    return fetch(prepare?.(request) ?? request);
  };
  const zip = (given: BlobPart, format: CompressionFormat) =>
    new Response(new Blob([given]).stream().pipeThrough(new CompressionStream(format))).bytes();
  const sheet = `name=${"ab".repeat(5000)}&copies=1`;
  for (const format of ["gzip", "deflate"] as const) {
    const { copies } = await (await post("/form", format, await zip(sheet, format))).json();
    const { length } = await (await post("/upload", format, await zip(sheet, format))).json();
    same([copies, length], [2, sheet.length]);
  }
  const zipped = await zip(sheet, "gzip");
  const bomb = await zip(new Uint8Array(32 << 20), "gzip");
  const answers = [["br", zipped], ["gzip", zipped.subarray(0, -9)], ["gzip", bomb]] as const;
  for (const [index, [coding, body]] of answers.entries()) {
    const { status, headers, body: answer } = await post("/form", coding, body);
    await answer?.cancel();
    same([status, headers.get("accept-encoding")], [[415, 400, 413][index], index === 0 ? "gzip, deflate" : null]);
  }
}

async function channels(api: API, options: { websocket: boolean }): Promise<void> {
  const seen: unknown[] = [];
  for await (const item of await api.Count(300n, options)) seen.push(item);
  same(seen, Array.from({ length: 300 }, (_, i) => ({ n: BigInt(i + 1), word: `é ${i + 1}\n` })));

  const numbers: number[] = [];
  await fails(() => collect(api.Break(3, options), numbers), "as asked for");
  same(numbers, [0, 1, 2]);

  const left = await api.Left();
  for await (const n of await api.Forever(options)) if (n === 5) break;
  for (let i = 0; i < 1500 && await api.Left() === left; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  same(await api.Left(), left + 1);
}

async function collect<T>(channel: Promise<Channel<T>>, into: T[]): Promise<void> {
  for await (const item of await channel) into.push(item);
}

async function fails(call: () => Promise<unknown>, words: string, status?: number): Promise<void> {
  try {
    await call();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!message.includes(words)) throw new Error(`expected "${words}", got "${message}"`);
    if (status !== undefined) same(error instanceof HTTPError && error.status, status);
    return;
  }
  throw new Error(`expected "${words}", and it did not fail`);
}

function same(actual: unknown, expected: unknown): void {
  const [a, b] = [show(actual), show(expected)];
  if (a !== b) throw new Error(`expected ${b}, got ${a}`);
}

/** A value as text that tells kinds apart. */
function show(value: unknown): string {
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (value instanceof Uint8Array) return `bytes ${[...value]}`;
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return value === undefined ? "undefined" : JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}: ${show(field)}`).join(", ")}}`;
}
