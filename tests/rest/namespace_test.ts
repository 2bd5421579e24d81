import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import { api, endpoints, handler, implementPart, int64, link, namespace, rest } from "../../lib/rest/mod.ts";

const shop = api("x", {
  Ping: rest("GET /ping"),
  Orders: namespace({
    Count: rest("GET /orders/count", [], [int64]),
    Lines: namespace({
      Add: rest("POST /orders/{id=%v}/lines", [z.string(), z.object({ text: z.string() })], [z.string()]),
      Missing: rest("GET /missing"),
    }),
  }),
  Empty: namespace({ None: rest("GET /none") }),
});

class Orders {
  readonly total = 7n;
  Count() {
    return this.total;
  }
  Lines = { Add: (id: string, { text }: { text: string }) => `${id}: ${text}` };
}

const implementation = implementPart(shop, { Ping: () => {}, Orders: new Orders() });
const serve = handler(null, implementation);

Deno.test("namespace() nests functions and clients alike", async () => {
  const client = link(shop, "http://h", { fetch: serve });
  assertEquals(await client.Ping(), undefined);
  assertEquals(await client.Orders.Count(), 7n);
  assertEquals(await client.Orders.Lines.Add("a", { text: "b" }), "a: b");
  for (const path of ["/missing", "/none"]) assertEquals((await serve(new Request(`http://h${path}`))).status, 501);
  // @ts-expect-error there is no such function
  assertEquals(client.Orders.Nothing, undefined);
  // @ts-expect-error a namespace has no such function either
  implementPart(shop, { Orders: { Nothing: () => {} } });
});

Deno.test("namespace() proxies, and names its operations with a dot", async () => {
  const proxy = link(shop, "http://proxy", { fetch: handler(null, link(shop, "http://h", { fetch: serve })) });
  assertEquals(await proxy.Orders.Lines.Add("a", { text: "b" }), "a: b");
  assertEquals(Object.keys(endpoints(null, implementation)), [
    "Ping",
    "Orders.Count",
    "Orders.Lines.Add",
    "Orders.Lines.Missing",
    "Empty.None",
  ]);
  const thrown = assertThrows(() =>
    api("x", { A: namespace({ B: rest("GET /x/{a=%[2]v}" as string, [z.string()]) }), "a.b": rest("GET /y") })
  );
  assertStringIncludes(String(thrown), `Define "A.B": argument 2 is not there`);
  assertStringIncludes(String(thrown), `Define "a.b": a name has no dot`);
});

Deno.test("link() gives a function or a namespace its name, whatever that is, and shows nothing else", async () => {
  const odd = api("x", {
    definition: rest("GET /definition", [], [z.string()]),
    functions: namespace({ List: rest("GET /functions", [], [z.string()]) }),
  });
  const fetch = (request: Request) => Promise.resolve(new Response(new URL(request.url).pathname));
  const client = link(odd, "http://h", { fetch });
  assertEquals(await client.definition(), "/definition");
  assertEquals(await client.functions.List(), "/functions");
  assertEquals(Object.keys(client), ["definition", "functions"]);
  const plain = link(shop, "http://h", { fetch });
  assertEquals(Object.keys(plain), ["Ping", "Orders", "Empty"]);
  assertEquals(plain.definition, shop);
});
