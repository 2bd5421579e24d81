import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
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

const Map = z.record(z.string(), z.string());
const maps = api("x", { Same: rest("POST(application/xml) /same", [Map], [Map]) }, { codecs: [xml()] });
const serveMaps = handler(null, implement(maps, { Same: (map) => map }));

Deno.test("defect: xml() carries any key of a map, as a name that XML allows", async () => {
  const client = link(maps, "http://h", { fetch: serveMaps });
  const keys =
    ("a b|1x|<|a&b|@x|@a b|#text|constructor|toString|prototype|é|a:b|xml|_x0041_|_X0041_|a/b|-a|.a|k><evil/|\u{1F600}|\u4e2d")
      .split("|");
  for (const key of keys) assertEquals(await client.Same({ [key]: "v" }), { [key]: "v" });
  const all = Object.fromEntries(keys.map((key, index) => [key, String(index)]));
  assertEquals(await client.Same(all), all);
  const codec = xml();
  const kind = { kind: { type: "map", value: { type: "string" } } } as const;
  const odd = codec.decode(String(codec.encode({ ["__proto__"]: "v" }, kind)), kind);
  assertEquals(Object.entries(odd as object), [["__proto__", "v"]]);
  const text = String(codec.encode({ "a b": 1 }, { kind: { type: "map", value: { type: "number" } } }));
  assertStringIncludes(text, "<root><a_x0020_b>1</a_x0020_b></root>");
});

Deno.test("defect: xml() writes carriage returns as references, and refuses characters that XML cannot carry, both ways", async () => {
  const client = link(maps, "http://h", { fetch: serveMaps });
  const value = { a: "x\r\ny", "@b": "\r", c: "]]>", d: "\u{1F600}" };
  assertEquals(await client.Same(value), value);
  assertStringIncludes(String(xml().encode(value, { kind: { type: "any" } })), "<a>x&#13;\ny</a>");
  for (const bad of ["\0", "\x01", "\x02", "\x0b", "\ufffe", "\ud800"]) {
    await assertRejects(() => client.Same({ a: `x${bad}` }), TypeError, "Write XML: it cannot carry the character U+");
  }
  const post = async (text: string) => {
    const body = `<r><a>${text}</a></r>`;
    const response = await serveMaps(request("POST", "/same", body, {
      "content-type": "application/xml",
      "accept": "application/json",
    }));
    return [response.status, (await response.json()).a];
  };
  assertEquals(await post("&#233;&#xE9;&#x1F600;&amp;#233;&#38;lt;"), [200, "éé\u{1F600}&#233;&lt;"]);
  assertEquals(await post("<![CDATA[&#0;]]>&#65;<![CDATA[<b>&amp;]]>"), [200, "&#0;A<b>&amp;"]);
  for (
    const bad of ["&#0;", "&#x0;", "&#x110000;", "&#99999999999999999999;", "&#xD800;", "&#11;", "<![CDATA[]]>&#0;"]
  ) {
    assertEquals([bad, (await post(bad))[0]], [bad, 400]);
  }
});

Deno.test("defect: xml() writes tabs and line feeds of attributes as references, which parsers would make spaces of", async () => {
  const client = link(maps, "http://h", { fetch: serveMaps });
  const value = { "@a": "x\ty\nz", b: "x\ty\nz" };
  assertEquals(await client.Same(value), value);
  const text = String(xml().encode(value, { kind: { type: "any" } }));
  assertStringIncludes(text, 'a="x&#9;y&#10;z"');
  assertStringIncludes(text, "<b>x\ty\nz</b>");
});

Deno.test("defect: xml() reads the text of an element that could have attributes and has none", async () => {
  const Item = z.object({ "@id": z.string().optional(), "#text": z.string() });
  const items = api(
    "x",
    { Same: rest("POST(application/xml) /same", [z.object({ item: z.array(Item) })], [z.int()]) },
    {
      codecs: [xml()],
    },
  );
  const serve = handler(null, implement(items, { Same: ({ item }) => item.length }));
  const client = link(items, "http://h", { fetch: serve });
  assertEquals(await client.Same({ item: [{ "#text": "a" }, { "@id": "1", "#text": "b" }] }), 2);
});

Deno.test("defect: xml() says what is wrong with a document, and where", async () => {
  const put = async (body: string) => {
    const headers = { "content-type": "application/xml" };
    const response = await run(new Request("http://h/order", { method: "PUT", headers, body }));
    return [response.status, (await response.json()).detail];
  };
  const read = "Read the body as application/xml: ";
  assertEquals(await put("<order>\n<name>x</order>"), [
    400,
    `${read}Expected closing tag 'name' (opened in line 2, col 1) instead of closing tag 'order': line 2, column 8`,
  ]);
  assertEquals(await put(" "), [400, `${read}there is no element`]);
  assertEquals(await put("<order><name>x</name><paid>perhaps</paid></order>"), [
    400,
    `${read}at "paid": "perhaps" is not true or false`,
  ]);
});
