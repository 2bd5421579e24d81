/** Tags and requests with their parts changed at random: whatever comes of them, no exception is one that is not ours. */
import { assert, assertEquals } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  api,
  bearer,
  bytes,
  chan,
  DefinitionError,
  error,
  handler,
  implement,
  implementPart,
  int64,
  rest,
  type Schema,
  stream,
  time,
  uint64,
} from "../../lib/rest/mod.ts";
import { resumable } from "../../lib/rest/events.ts";
import { isLongRun } from "../long_run.ts";

const COUNT = isLongRun ? 1_000_000 : 20_000;

/** Numbers below a bound, the same ones in every run. */
function dice(seed: number): (below: number) => number {
  return (below) => (seed = (seed * 48271) % 2147483647) % below;
}

/** A text with up to four of its parts left out, doubled, moved or replaced by something odd. */
function mutate(text: string, roll: (below: number) => number, odd: readonly string[]): string {
  for (let changes = roll(5); changes > 0; changes--) {
    const at = roll(text.length + 1);
    const to = Math.min(text.length, at + roll(6));
    const part = text.slice(at, to);
    const put = [odd[roll(odd.length)], "", part + part, String.fromCharCode(roll(300))][roll(4)];
    text = text.slice(0, at) + put + text.slice(to);
  }
  return text;
}

const TAGS = [
  "GET /a",
  "GET /users/{id=%v}",
  "POST /users/{id}/posts?limit=%[2]v&%v",
  "PUT(application/json) /files/{path*=%v}/meta (name,size) ok,detail",
  "DELETE /a/{b.c}/{d=%v}.json",
  "GET(text/plain) /x?a=b&c=%v",
  "PATCH(application/x-www-form-urlencoded) /{a=%v}-{b=%v} (c)",
];
const ODD_TAG = [
  "%v",
  "%[1]v",
  "%[9999999999]v",
  "{",
  "}",
  "=",
  "*",
  "(",
  ")",
  ",",
  "?",
  "&",
  " ",
  "/",
  "..",
  "%",
  "\n",
  "\0",
  "é",
  "HEAD",
  "{x*=%v}",
];
const SCHEMAS: readonly Schema[] = [
  z.string(),
  z.object({ id: z.string(), b: z.object({ c: z.int() }), limit: z.int().optional() }),
  int64,
  z.array(z.string()),
  time,
  bytes,
  uint64,
  z.record(z.string(), z.number()),
  stream(),
  chan(z.string()),
  error,
  z.any(),
];

Deno.test(`api() and handler() take ${COUNT} mutated tags, or say what is wrong with them`, () => {
  const roll = dice(20261122);
  const some = () => Array.from({ length: roll(4) }, () => SCHEMAS[roll(SCHEMAS.length)]);
  let good = 0;
  for (let i = 0; i < COUNT; i++) {
    const tag: string = mutate(TAGS[roll(TAGS.length)], roll, ODD_TAG);
    const [args, results] = [some(), some()];
    try {
      handler(null, implementPart(api("x", { F: rest(tag, args, results) }), {}));
      good++;
    } catch (error) {
      if (!(error instanceof DefinitionError)) {
        throw new Error(`${JSON.stringify(tag)}: not one of ours`, { cause: error });
      }
      assert(error.message.includes("F"), error.message);
    }
  }
  assert(good > COUNT / 100, `only ${good} tags were good`);
});

const Thing = z.object({
  id: z.string(),
  n: z.bigint().optional(),
  at: z.date().optional(),
  tags: z.array(z.string()).optional(),
  inner: z.object({ a: z.number().nullable() }).optional(),
});
const Sheet = z.object({ name: z.string(), copies: z.int(), file: z.file().optional() });

const definition = api("x", {
  Get: rest("GET /things/{id=%v}?limit=%v&since=%v&raw=%v", [z.string(), int64, time, bytes], [z.string()]),
  Search: rest("GET /things?%v", [Thing.partial()], [z.array(Thing)]),
  Put: rest("PUT /things/{id}", [Thing], [Thing]),
  Form: rest("POST(application/x-www-form-urlencoded) /forms", [Thing], [Thing]),
  Sheet: rest("POST(multipart/form-data) /sheets", [Sheet], [z.string()]),
  Pair: rest("POST /pairs (a,b) sum,difference", [int64, uint64], [int64, int64]),
  List: rest("POST /lists", [z.array(z.string()), z.record(z.string(), z.number())], [z.boolean()]),
  File: rest("PUT /files/{path*=%v}/meta", [z.string(), stream()], [z.int()]),
  Read: rest("GET /files/{path*=%v}", [z.string()], [stream()]),
  Watch: rest("GET /watch?to=%v", [z.int()], [chan(Thing)]),
  Resume: rest("GET /resume", [], [chan(z.int())]),
  Fail: rest("DELETE /things/{id=%v}", [z.string()], [error]),
});

const serve = handler(
  null,
  implement(definition, {
    Get: (id, limit, since, raw) => `${id} ${limit} ${since.toISOString()} ${raw.length}`,
    Search: () => [],
    Put: (thing) => thing,
    Form: (thing) => thing,
    Sheet: ({ name, copies }) => name.repeat(Math.abs(copies) % 3),
    Pair: (a, b) => [BigInt.asIntN(64, a + b), BigInt.asIntN(64, a - b)],
    List: (list, map) => list.length > Object.keys(map).length,
    File: async (_path, body) => {
      let length = 0;
      for await (const piece of body) length += piece.length;
      return length;
    },
    Read: (path) => path,
    async *Watch(to) {
      for (let i = 0; i < Math.min(to, 5); i++) yield { id: String(i), n: 2n ** 70n };
    },
    Resume: () =>
      resumable(async function* (after = "0") {
        const from = Number(after);
        if (!(from >= 0 && from < 9)) return;
        for (let n = from + 1; n < 9; n++) yield [String(n), n] as const;
      }),
    Fail: () => {},
  }),
);

const PATHS = [
  "GET /things/a?limit=1&since=2026-11-21T00:00:00Z&raw=AQI=",
  "GET /things?id=a&tags=x&tags[]=y&n=5&inner.a=1",
  "PUT /things/a%2Fb",
  "POST /forms",
  "POST /sheets",
  "POST /pairs",
  "POST /lists",
  "PUT /files/a/b/meta",
  "GET /files/a//b/../c",
  "GET /watch?to=3",
  "GET /resume",
  "DELETE /things/x",
  "OPTIONS /things/x",
];
const BODIES = [
  '{"id":"a","n":5,"at":"2026-11-21T00:00:00Z","tags":["x"],"inner":{"a":null}}',
  "id=a&n=5&tags=x&tags=y&inner.a=1",
  '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name="copies"\r\n\r\n2\r\n' +
  '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--\r\n',
  '{"a":9223372036854775807,"b":18446744073709551615}',
  '[["a"],{"x":1e400}]',
  "[".repeat(300),
  "",
];
const TYPES = [
  "application/json",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=b",
  "multipart/form-data",
  "text/plain",
  ";;;",
];
const ODD = [
  "%",
  "%2F",
  "%00",
  "%FF",
  "..",
  "\\",
  "//",
  "[]",
  "__proto__",
  "constructor",
  "null",
  "-0",
  "1e999",
  "é",
  "\u2028",
  "\ud800",
  "&",
  "=",
  "?",
  "#",
  '"',
  "}",
  "99999999999999999999",
  "--b",
  "\r\n",
];
const ACCEPTS = [
  "*/*",
  "text/event-stream",
  "application/json;q=0.1, text/*",
  "x",
  ";q=",
  "application/x-ndjson;errors=line",
  "text/event-stream;q=0",
];

Deno.test(`handler() answers ${COUNT} mutated requests, none of them with 500`, async () => {
  const roll = dice(20261123);
  const seen = new Map<number, number>();
  for (let i = 0; i < COUNT; i++) {
    const [method, path] = PATHS[roll(PATHS.length)].split(" ");
    const headers = new Headers();
    const odd = (name: string, from: readonly string[]) => {
      try {
        if (roll(4) > 0) {
          headers.set(name, roll(3) === 0 ? mutate(from[roll(from.length)], roll, ODD) : from[roll(from.length)]);
        }
      } catch { /* no header could be that */ }
    };
    odd("content-type", TYPES);
    odd("accept", ACCEPTS);
    odd("last-event-id", ["3", "8", "x", ""]);
    if (roll(9) === 0) odd("upgrade", ["websocket", "tcp"]);
    if (roll(9) === 0) odd("content-length", ["5", "99999999999", "-1"]);
    const body = method === "GET" || method === "OPTIONS" || roll(9) === 0
      ? undefined
      : mutate(BODIES[roll(BODIES.length)], roll, ODD);
    const url = `http://h/${mutate(path.slice(1), roll, ODD)}`;
    let request: Request;
    try {
      request = new Request(url, { method: roll(30) === 0 ? "PROPFIND" : method, headers, body });
    } catch {
      continue;
    }
    const response = await serve(request);
    const about = () => `${method} ${url} ${JSON.stringify([...headers])} ${JSON.stringify(body)}: ${response.status}`;
    assert(response.status < 500 || response.status === 501, about());
    await response.text().catch((error) => {
      throw new Error(about(), { cause: error });
    });
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
  }
  for (const status of [200, 400, 404, 405, 406, 415]) {
    assert((seen.get(status) ?? 0) > COUNT / 2000, `${status}: ${seen.get(status)}`);
  }
});

Deno.test("bearer() refuses mutated credentials with 401, and never fails", async () => {
  const roll = dice(7);
  const guarded = handler(bearer("hunter2"), implementPart(definition, {}));
  for (let i = 0; i < COUNT / 10; i++) {
    const headers = new Headers({ upgrade: "websocket" });
    try {
      headers.set("authorization", mutate("Bearer sesame", roll, ODD));
      headers.set("sec-websocket-protocol", mutate("gantry.plain, gantry.bearer.c2VzYW1l", roll, ODD));
    } catch {
      continue;
    }
    const { status } = await guarded(new Request("http://h/things", { headers }));
    assertEquals(status, 401, JSON.stringify([...headers]));
  }
});
