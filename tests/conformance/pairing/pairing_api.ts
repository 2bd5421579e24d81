/** An API with one of every kind of call, for clients and servers on every runtime. */
import { z } from "../../fixtures/zod.ts";
import {
  api,
  bearer,
  bytes,
  chan,
  error,
  type Handler,
  handler,
  HTTPError,
  implementPart,
  int64,
  rest,
  stream,
  time,
  uint64,
} from "../../../lib/rest/mod.ts";
import { resumable } from "../../../lib/rest/events.ts";

/** A value with one of every kind in it. */
export const Everything = z.object({
  text: z.string(),
  flag: z.boolean(),
  ratio: z.number(),
  count: z.bigint(),
  at: z.date(),
  list: z.array(z.object({ name: z.string(), tags: z.array(z.string()) })),
  map: z.record(z.string(), z.number()),
  nothing: z.null(),
  maybe: z.string().optional(),
});

const Query = z.object({
  word: z.string().optional(),
  tag: z.array(z.string()).optional(),
  limit: z.int().optional(),
  exact: z.boolean().optional(),
});

const Sheet = z.object({ name: z.string(), copies: z.int() });

/** The definition. */
export const everything = api("everything.example.com", {
  Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
  Largest: rest("GET /largest", [], [uint64]),
  Echo: rest("POST /echo", [Everything], [Everything]),
  Name: rest("GET /names/{first=%v}/{last=%v}", [z.string(), z.string()], [z.string()]),
  File: rest("GET /files/{path*=%v}/stat", [z.string()], [z.string()]),
  Search: rest("GET /search?%v", [Query], [Query]),
  Form: rest("POST(application/x-www-form-urlencoded) /form", [Sheet], [Sheet]),
  Later: rest("GET /later?at=%v", [time], [time]),
  Flip: rest("POST /flip", [bytes], [bytes]),
  Divide: rest("GET /divide?a=%v&b=%v quotient,rest", [int64, int64], [int64, int64, error]),
  Refuse: rest("DELETE /refuse/{id=%v}", [z.string()], []),
  Nothing: rest("PUT /nothing", [], []),
  Upload: rest("POST /upload", [stream()], [z.object({ length: z.int(), sum: z.int() })]),
  Download: rest("GET /download?length=%v", [z.int()], [stream()]),
  Pieces: rest("GET /pieces?count=%v", [z.int()], [stream("text/plain")]),
  Count: rest("GET /count?to=%v", [int64], [chan(z.object({ n: z.bigint(), word: z.string() }))]),
  Break: rest("GET /break?after=%v", [z.int()], [chan(z.int())]),
  Forever: rest("GET /forever", [], [chan(z.int())]),
  Left: rest("GET /left", [], [z.int()]),
  Missing: rest("GET /missing", [], [z.string()]),
});

/** The token that callers send. */
export const TOKEN = "pairs/+of=all kinds".replaceAll(" ", "-");

/** Serves it. */
export function serveEverything(): Handler {
  let left = 0;
  return handler(
    bearer(TOKEN),
    // One function is left out.
    implementPart(everything, {
      Add: (a, b) => a + b,
      Largest: () => 2n ** 64n - 1n,
      Echo: (value) => value,
      Name: (first, last) => `${last}, ${first}`,
      File: (path) => path,
      Search: (query) => query,
      Form: ({ name, copies }) => ({ name, copies: copies + 1 }),
      Later: (at) => new Date(at.getTime() + 1),
      Flip: (given) => given.toReversed(),
      Divide(a, b) {
        if (b === 0n) throw new HTTPError(422, "Divide: by zero");
        return [a / b, a % b];
      },
      Refuse(id) {
        throw new HTTPError(409, `Refuse "${id}": it is in use`);
      },
      Nothing: () => {},
      async Upload(body) {
        let length = 0;
        let sum = 0;
        for await (const piece of body) {
          length += piece.length;
          for (const byte of piece) sum = (sum + byte) % 65521;
        }
        return { length, sum };
      },
      Download: (length) => piecesOf(length),
      async *Pieces(count) {
        if (count > 999) throw new HTTPError(422, "Pieces: too many");
        for (let n = 0; n < count; n++) yield n % 2 === 0 ? `é${n} ` : new TextEncoder().encode(`${n} `);
      },
      Count: (to) =>
        resumable(async function* (after = "0") {
          for (let n = BigInt(after) + 1n; n <= to; n++) yield [String(n), { n, word: `é ${n}\n` }] as const;
        }),
      async *Break(after) {
        for (let n = 0; n < after; n++) yield n;
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new HTTPError(500, "Break: as asked for");
      },
      async *Forever() {
        try {
          for (let n = 0;; n++) {
            yield n;
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
        } finally {
          left++;
        }
      },
      Left: () => left,
    }),
    { compress: true },
  );
}

/** So many bytes, in pieces. */
export function piecesOf(length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, 50_000)).fill(7));
      left -= 50_000;
    },
  }, { highWaterMark: 0 });
}
