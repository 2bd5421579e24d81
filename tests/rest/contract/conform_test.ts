import { assert, assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import {
  api,
  chan,
  type Handler,
  handler,
  HTTPError,
  implementPart,
  int64,
  rest,
  stream,
  time,
} from "../../../lib/rest/mod.ts";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";

const Book = z.object({ id: z.string().min(1), price: z.number().nonnegative() });
const shop = api("http://shop.example.com", {
  Find: rest("GET /books?limit=%v&since=%v", [z.int().positive(), time], [z.array(Book)]),
  Get: rest("GET /books/{id=%v}", [z.string().min(1)], [Book]),
  Put: rest("PUT /books/{id}", [Book], [Book]),
  Prices: rest("GET /prices", [], [chan(int64)]),
  File: rest("GET /file", [], [stream()]),
});

Deno.test("conform() finds nothing wrong with a server that does what its definition says", async () => {
  const client = { fetch: handler(null, mock(shop)) };
  const every = ["Find", "Get", "Put", "Prices", "File"];
  const { calls, failures, untried } = await conform(shop, "http://localhost", { client, operations: every });
  assertEquals([failures, untried], [[], []]);
  // 20 of each, one without each of two parameters, and one to no operation.
  assertEquals(calls, 5 * 20 + 2 + 1);
});

Deno.test("conform() leaves operations that change something alone, unless they are named", async () => {
  const methods = new Set<string>();
  const serve = handler(null, mock(shop));
  const client = {
    fetch(request: Request) {
      methods.add(request.method);
      return serve(request);
    },
  };
  await conform(shop, "http://localhost", { client, runs: 2 });
  assertEquals([...methods], ["GET"]);
});

/** A server of the right answers but for one path. */
function broken(path: string, answer: (request: Request) => Response): Handler {
  const serve = handler(null, mock(shop));
  return (request) =>
    new URL(request.url).pathname.startsWith(path) ? Promise.resolve(answer(request)) : serve(request);
}

Deno.test("conform() names wrong results, statuses and what is not refused, with arguments and seed", async () => {
  const cases: [path: string, answer: () => Response, operation: string, got: RegExp][] = [
    ["/books/", () => Response.json({ id: "", price: 1 }), "Get", /Get/],
    ["/books/", () => Response.json({ id: "1", price: 1 }, { status: 201 }), "Get", /^201$/],
    ["/books/", () => new Response("oh", { status: 500 }), "Get", /^500/],
    ["/prices", () => new Response("1\nno\n", { headers: { "content-type": "application/x-ndjson" } }), "Prices", /./],
  ];
  for (const [path, answer, operation, got] of cases) {
    const client = { fetch: broken(path, answer) };
    const { failures: [first] } = await conform(shop, "http://localhost", { client, runs: 1, seed: 5 });
    assertEquals([first.operation, first.seed], [operation, 5]);
    assertMatch(first.got, got);
    assert(first.arguments !== undefined);
  }
  const careless = { fetch: broken("/books", () => Response.json([])) };
  const { failures } = await conform(shop, "http://localhost", { client: careless, operations: ["Find"], runs: 1 });
  assertEquals(failures.map(({ expected }) => expected), [
    '4xx for a request without "limit"',
    '4xx for a request without "since"',
  ]);
});

Deno.test("conform() lets allowed refusals pass and finds a server that answers any path", async () => {
  const fetch = handler(
    null,
    implementPart(shop, {
      Get() {
        throw new HTTPError(404, "Get a book: there is none");
      },
    }),
  );
  const operations = ["Get"];
  assertEquals((await conform(shop, "http://localhost", { client: { fetch }, operations })).failures, []);
  const strict = await conform(shop, "http://localhost", { client: { fetch }, operations, allowed: [], runs: 1 });
  assertEquals(strict.failures.length, 1);
  const any = { fetch: () => Promise.resolve(new Response("hello")) };
  const { failures } = await conform(shop, "http://localhost", { client: any, operations: [] });
  assertEquals(failures.map(({ expected }) => expected), ["404 for a path of no operation"]);
});

Deno.test("conform() says what it could not try", async () => {
  const odd = api("x", { Odd: rest("GET /odd?n=%v", [z.string().refine(() => false)]) });
  const { untried } = await conform(odd, "http://localhost", { client: { fetch: handler(null, mock(odd)) } });
  assertEquals(untried.map(({ operation }) => operation), ["Odd"]);
});

Deno.test("conform() makes up text for headers that can stand there", async () => {
  const ranged = api("x", { Part: rest("GET /part (Range:)", [z.string()], [z.string()]) });
  const fetch = handler(null, implementPart(ranged, { Part: (range) => range }));
  const { calls, failures, untried } = await conform(ranged, "http://localhost", { client: { fetch } });
  assertEquals([calls > 20, failures, untried], [true, [], []]);
});

Deno.test("defect: conform() takes the channels of a server on the network for what they are", async () => {
  const serve = handler(null, mock(shop));
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => serve(request));
  const address = `http://127.0.0.1:${server.addr.port}`;
  const { failures } = await conform(shop, address, { operations: ["Prices"], runs: 2 });
  assertEquals(failures, []);
});

Deno.test("defect: conform() makes up only text that a client can send in a path", async () => {
  const files = api("x", {
    Read: rest("GET /files/{path*=%v}", [z.string()], [z.string()]),
    Get: rest("GET /books/{id=%v}", [z.enum(["", ".", "..", "7"])], [z.string()]),
    Put: rest("PUT /notes/{id}", [z.object({ id: z.enum(["", "..", "7"]) })]),
  });
  const fetch = handler(null, mock(files));
  const { failures } = await conform(files, "http://x", {
    client: { fetch },
    operations: ["Read", "Get", "Put"],
    runs: 50,
  });
  assertEquals(failures, []);
});

Deno.test("conform() says why a server cannot be reached", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }));
  const { failures } = await conform(shop, "http://x", { client: { fetch }, operations: ["Find"], runs: 1 });
  // The call, the requests without each of two parameters, and the one to no operation.
  assertEquals(failures.map(({ got }) => got), Array(4).fill("TypeError: fetch failed: connect ECONNREFUSED"));
});
