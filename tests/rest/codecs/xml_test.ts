import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "../../../handlers/wire/zod.ts";
import { api, bytes, handler, implement, int64, link, rest, time } from "../../../lib/rest/mod.ts";
import { xml } from "../../../lib/rest/codecs/xml.ts";
import { request } from "../../fixtures/rest/serve.ts";

const Item = z.object({ "@id": z.number(), "#text": z.string().optional() });
const Order = z.object({
  name: z.string(),
  paid: z.boolean(),
  big: z.bigint().optional(),
  at: z.date().optional(),
  item: z.array(Item).optional(),
  notes: z.record(z.string(), z.number()).optional(),
});
const definition = api("x", {
  Put: rest("PUT(application/xml) /order", [Order], [z.string()]),
  Get: rest("GET(application/xml) /order", [], [Order]),
  Named: rest("POST(application/xml) /named (a,b,c) d", [int64, time, bytes], [int64]),
}, { codecs: [xml({ root: "order" })] });
const order = {
  name: 'a <b> & "c" é',
  paid: false,
  big: 2n ** 63n,
  at: new Date(0),
  item: [{ "@id": 1, "#text": "x" }, { "@id": 2 }],
  notes: { n: 1.5 },
};
let got: unknown;
const run = handler(
  null,
  implement(definition, {
    Put: (order) => (got = order, "ok"),
    Get: () => order,
    Named: (a, b, c) => a + BigInt(b.getTime()) + BigInt(c.length),
  }),
);
const client = link(definition, "http://h", { fetch: run });

Deno.test("xml() carries structs, lists, attributes and exact values both ways", async () => {
  assertEquals(await client.Put(order), "ok");
  assertEquals(got, order);
  assertEquals(await client.Get(), order);
  assertEquals(await client.Put({ name: "", paid: true, item: [] }), "ok");
  assertEquals(got, { name: "", paid: true });
  assertEquals(await client.Named(2n ** 60n, new Date(5), Uint8Array.of(1, 2)), 2n ** 60n + 7n);
});

Deno.test("xml() writes what others read", async () => {
  const response = await run(request("GET", "/order"));
  assertEquals(response.headers.get("content-type"), "application/xml");
  const text = await response.text();
  assertStringIncludes(text, `<?xml version="1.0" encoding="UTF-8"?><order><name>a &lt;b&gt; &amp;`);
  assertStringIncludes(text, `<item id="1">x</item><item id="2">`);
});

Deno.test("xml() refuses what is not XML, a DOCTYPE, and a wrong kind", async () => {
  const post = async (body: string) => {
    const response = await run(request("PUT", "/order", body, { "content-type": "application/xml" }));
    await response.body?.cancel();
    return response.status;
  };
  for (
    const body of [
      "",
      "<a>",
      "not xml",
      `<!DOCTYPE a [<!ENTITY x "y">]><order><name>&x;</name><paid>true</paid></order>`,
      "<order><name>a</name><paid>maybe</paid></order>",
      "<order><paid>true</paid></order>",
      "<a>".repeat(50_000) + "</a>".repeat(50_000),
    ]
  ) assertEquals([body.slice(0, 50), await post(body)], [body.slice(0, 50), 400]);
  assertEquals(await post("<order><name>a</name><paid>1</paid></order>"), 200);
});

Deno.test("defect: xml() keeps the white space of a text, and leaves out what only separates elements", async () => {
  const Text = z.strictObject({
    "@id": z.string(),
    text: z.string(),
    n: z.number(),
    line: z.array(z.string()),
    map: z.record(z.string(), z.string()).optional(),
    rest: z.any().optional(),
  });
  const texts = api("x", { Same: rest("POST(application/xml) /same", [Text], [Text]) }, { codecs: [xml()] });
  const serve = handler(null, implement(texts, { Same: (text) => text }));
  const client = link(texts, "http://h", { fetch: serve });
  const value = { "@id": " 1", text: "  x  y\n", n: 1, line: [" ", "", "a\tb"], map: { k: " v " } };
  assertEquals(await client.Same(value), value);
  const pretty = `<?xml version="1.0"?>
<root id="1">
  <text>x</text>
  <n> 5 </n>
  <map>
    <k>v</k>
  </map>
  <rest> <q> z </q> </rest>
</root>
`;
  const answer = await serve(request("POST", "/same", pretty, { "content-type": "application/xml" }));
  const read = { "@id": "1", text: "x", n: 5, line: [], map: { k: "v" }, rest: { q: " z " } };
  assertEquals(await answer.json(), read);
});
