/** The functions that the docs page is made of: unions, samples, code, previews, timelines. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, bytes, chan, error, int64, rest, stream, time } from "../../../lib/rest/mod.ts";
import { clientSamples, docsPage, openapi } from "../../../lib/rest/surfaces.ts";
import { contentPolicy } from "../../../lib/rest/surfaces/docs_page.ts";
import { fittingVersion } from "../../../lib/rest/surfaces/page/form_view.ts";
import { samplesOf } from "../../../lib/rest/surfaces/page/sample.ts";
import { hexDump, previewOf, sizeText } from "../../../lib/rest/surfaces/page/script/bytes.ts";
import { channelSocketCode, clientCode, curlCode, fetchCode } from "../../../lib/rest/surfaces/page/script/code.ts";
import { indentJSON } from "../../../lib/rest/surfaces/page/script/indent_json.ts";
import { encodePathValue } from "../../../lib/rest/surfaces/client/module/path_value.ts";
import { ValueReader } from "../../../lib/rest/surfaces/client/module/values.ts";
import { spanText, Timeline } from "../../../lib/rest/surfaces/page/script/timeline.ts";
import { variantsOf } from "../../../lib/rest/surfaces/page/variants.ts";

const Cat = z.object({ kind: z.literal("cat"), lives: z.int() }).meta({ id: "Cat" });
const Dog = z.object({ kind: z.literal("dog"), bark: z.string().optional() });
const Base = z.object({ id: z.string() }).meta({ id: "Base" });
const pets = api("x", {
  Add: rest("POST /pets", [z.object({ pet: z.union([Cat, Dog]).nullable(), near: Base.and(Dog) })], [int64]),
});

Deno.test("docsPage() shows the structs of a union, what tells them apart, and an intersection's fields", () => {
  const page = docsPage(openapi(pets));
  assertStringIncludes(page, "told apart by <code>kind</code>");
  assertStringIncludes(page, 'kind: <span class="literal">&quot;cat&quot;</span>');
  // The struct without a name is outlined; the nullable union says so.
  assertMatch(page, /Cat<\/a> \| \{ kind: .*dog.*, bark\? \} \| null/);
  assertMatch(page, /Base<\/a> &amp; \{ kind/);
  assertEquals([...page.matchAll(/<option value="[^"]*">(Cat|dog)<\/option>/g)].map(([, name]) => name), [
    "Cat",
    "dog",
  ]);
});

Deno.test("docsPage() ends with a type that holds itself in a union", () => {
  const Tree: z.ZodType = z.lazy(() => z.union([Leaf, Branch]));
  const Leaf = z.object({ is: z.literal("leaf"), value: z.number() }).meta({ id: "Leaf" });
  const Branch = z.object({
    is: z.literal("branch"),
    get left() {
      return Tree;
    },
    get right() {
      return Tree;
    },
  })
    .meta({ id: "Branch" });
  const trees = api("x", { Grow: rest("POST /trees", [z.object({ tree: Tree, other: Tree })], [Tree]) });
  const page = docsPage(openapi(trees), clientSamples(trees));
  assert(page.length < 100_000, `${page.length} characters`);
  assertStringIncludes(page, "type-Branch");
});

Deno.test("variantsOf() names the field that tells structs apart only where each has a constant of its own", () => {
  const struct = (constant: unknown) => ({ type: "object", properties: { is: { const: constant }, at: {} } });
  const tags = (...parts: unknown[]) => variantsOf({ anyOf: parts }, {})?.map(({ tag }) => tag);
  assertEquals(tags(struct("a"), struct("b")), [["is", "a"], ["is", "b"]]);
  assertEquals(tags(struct("a"), struct("a")), [undefined, undefined]);
  assertEquals(tags(struct("a"), { type: "string" }), [undefined, undefined]);
  assertEquals(tags({ type: "string" }, { type: "null" }), undefined);
  assertEquals(variantsOf({ anyOf: [{ $ref: "#/components/schemas/constructor" }] }, {}), undefined);
});

Deno.test("samplesOf() begins with values that fit their bounds, formats and patterns", () => {
  for (
    const schema of [
      z.string().regex(/^97[89]\d{10}$/),
      z.string().regex(/^[A-Z]+$/).min(3),
      z.string().min(9),
      z.string().max(2),
      z.uuidv7(),
      z.iso.date(),
      z.int(),
      z.int().positive(),
      z.number().gt(2).lt(3),
      z.int().max(-3),
      z.object({ code: z.string().regex(/^[a-f0-9]{6}$/), count: z.int().min(2) }),
    ]
  ) {
    const [{ value }] = samplesOf(z.toJSONSchema(schema), {});
    assertEquals(schema.safeParse(value).error?.issues, undefined, JSON.stringify(value));
  }
  // No text is made for it: the reader writes one.
  assertEquals(samplesOf({ type: "string", pattern: "^(a|b)\\1$" }, {}), [{ name: "", value: "text" }]);
});

Deno.test("samplesOf() shows each possibility of the first union, and one value elsewhere", () => {
  const schemas = openapi(pets).components.schemas;
  const samples = samplesOf({ $ref: "#/components/schemas/AddRequest" }, schemas);
  assertEquals(samples.map(({ name }) => name), ["Cat", "dog"]);
  assertEquals(samples.map(({ value }) => (value as { pet: unknown }).pet), [
    { kind: "cat", lives: 0 },
    { kind: "dog", bark: "text" },
  ]);
  assertEquals(samplesOf({ type: "integer", minimum: 3 }, {}), [{ name: "", value: 3 }]);
});

Deno.test("clientSamples() writes arguments as their kinds are in JavaScript, and the call as its results are", () => {
  const Order = z.object({ total: z.bigint(), at: z.date(), "a b": z.string().meta({ examples: ['"</script>'] }) });
  const samples = clientSamples(api("x", {
    Sum: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
    Put: rest("PUT /at/{at=%v}", [time, bytes], []),
    Order: rest("POST /orders", [Order], [Order, error]),
    Upload: rest("PUT /file", [stream()], [stream()]),
    Ticks: rest("GET /ticks", [], [chan(int64)]),
    delete: rest("DELETE /all", [], [error]),
  }));
  assertEquals(samples.get("Sum"), "const result = await client.Sum(0n, 0n);");
  assertStringIncludes(samples.get("Put")!, 'await client.Put(new Date("2026-01-31T12:00:00Z"), new Uint8Array(');
  assertEquals(
    samples.get("Order"),
    `const [result, error] = await client.Order({
  total: 0n,
  at: new Date("2026-01-31T12:00:00Z"),
  "a b": "\\"</script>",
});`,
  );
  assertEquals(samples.get("Upload"), 'const result = await client.Upload(new Blob(["…"])); // a ReadableStream');
  assertEquals(samples.get("Ticks"), "for await (const value of await client.Ticks()) {\n  console.log(value);\n}");
  assertEquals(samples.get("delete"), "const error = await client.delete();");
});

Deno.test("curlCode() and fetchCode() quote whatever a form holds", () => {
  const url = "http://localhost/it's?a=%27";
  const headers = { "x-a": "'; rm -rf /; '" };
  const text = '{"a": 9007199254740993}';
  const curl = curlCode({ url, init: { method: "POST", headers, body: text } });
  assertEquals(
    curl,
    `curl -X POST 'http://localhost/it'\\''s?a=%27' \\\n  -H 'x-a: '\\''; rm -rf /; '\\''' \\\n  --data-raw '${text}'`,
  );
  // A number that JavaScript would round stays a text.
  assertStringIncludes(fetchCode({ url, init: { method: "POST", headers, body: text } }, false), JSON.stringify(text));
  const form = new FormData();
  form.append("a", "@/etc/passwd");
  form.append("b", new File(["x"], "x.txt"));
  const parts = { url, init: { method: "POST", headers: {}, body: form } };
  assertStringIncludes(curlCode(parts), "--form-string 'a=@/etc/passwd' \\\n  -F 'b=@x.txt'");
  form.append("c", new File(["x"], 'a,"b";c.txt'));
  assertStringIncludes(curlCode(parts), `-F 'c=@"a,\\"b\\";c.txt"'`);
  assertStringIncludes(
    curlCode({ url: "http://h/", init: { method: "HEAD", headers: {} } }),
    "curl --head 'http://h/'",
  );
  assertStringIncludes(
    channelSocketCode({ url: "http://h/a", init: { headers: {} } }),
    'new WebSocket("ws://h/a", ["gantry.plain"])',
  );
  assertStringIncludes(fetchCode(parts, false), 'form.append("b", new File(["…"], "x.txt"));');
  assertStringIncludes(fetchCode({ url, init: { method: "GET", headers: {} } }, true), "of response.body.pipeThrough(");
});

Deno.test("indentJSON() leaves a nesting without end as it is, and numbers of any size", () => {
  assertEquals(
    indentJSON('{"a":[1,{}],"n":9007199254740993}'),
    '{\n  "a": [\n    1,\n    {}\n  ],\n  "n": 9007199254740993\n}',
  );
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  assertEquals(indentJSON(deep), deep);
});

Deno.test("encodePathValue() refuses what an address would lose, and encodes what parts two names", () => {
  assertEquals(encodePathValue("a/b?c", "whole"), "a%2Fb%3Fc");
  assertEquals(encodePathValue("v1...x", "shared"), "v1%2e%2e%2ex");
  assertEquals(encodePathValue("a b/c", "remainder"), "a%20b/c");
  for (const text of ["a?b", "a#b", "a/../b", ".."]) assertEquals(encodePathValue(text, "remainder"), undefined, text);
  for (const text of [".", ".."]) assertEquals(encodePathValue(text, "whole"), undefined, text);
});

Deno.test("a client reads fields that are named like what every object has", () => {
  const reader = new ValueReader([{ n: "int64" }]);
  const text = '{"n":1,"constructor":{"x":1},"__proto__":{"y":2}}';
  const value = reader.readJSON(text, { struct: 0 }) as Record<string, unknown>;
  assertEquals([value.n, value.constructor], [1n, { x: 1 }]);
});

Deno.test("docsPage() asks for no cookie, which only the browser may send, and its policy allows the server's WebSockets", async () => {
  const page = docsPage(openapi(api("x", { Me: rest("GET /me (Cookie:sid)", [z.string()], [z.string()]) })));
  assertStringIncludes(page, "sid <small>a cookie");
  assertEquals(/<input[^>]*name="sid"/.test(page), false);
  assertStringIncludes(
    await contentPolicy(["https://api.example.com/v1"]),
    "https://api.example.com wss://api.example.com",
  );
});

Deno.test("clientCode() makes a client with the page's headers, if it has any", () => {
  const from = { module: "http://h/client.js", server: "http://h" };
  assertEquals(clientCode("call();", { ...from, headers: {} }), 'import client from "http://h/client.js";\n\ncall();');
  assertStringIncludes(
    clientCode("call();", { ...from, headers: { authorization: "Bearer a" } }),
    'const client = connect("http://h", {\n  headers: { authorization: "Bearer a" },\n});\n\ncall();',
  );
});

Deno.test("previewOf() shows images and texts by what they are, whatever their content type", () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
  assertEquals(previewOf("application/octet-stream", png), { as: "image", type: "image/png" });
  assertEquals(previewOf("image/svg+xml;charset=utf-8", new Uint8Array()), { as: "image", type: "image/svg+xml" });
  const text = (value: string) => previewOf("application/octet-stream", new TextEncoder().encode(value)).as;
  assertEquals([text("grüße\n"), text("a\0b"), text("<svg xmlns="), text("")], ["text", "bytes", "text", "bytes"]);
  const cut = new TextEncoder().encode("grüße").subarray(0, 3);
  assertEquals(previewOf("", cut).as, "text");
  assertEquals(previewOf("", new Uint8Array([0xff, 0xfe, 0x41])).as, "bytes");
});

Deno.test("hexDump() shows sixteen bytes in a line, and no more than the first 1,024", () => {
  const lines = hexDump(Uint8Array.from({ length: 20 }, (_, i) => i + 60)).split("\n");
  assertEquals(lines, [
    "0000  3c 3d 3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b  <=>?@ABCDEFGHIJK",
    "0010  4c 4d 4e 4f                                      LMNO",
  ]);
  assertEquals(hexDump(new Uint8Array(5000)).split("\n").length, 64);
  assertEquals([sizeText(1), sizeText(1023), sizeText(1536), sizeText(64 << 20)], [
    "1 byte",
    "1023 bytes",
    "1.5 KiB",
    "64 MiB",
  ]);
});

Deno.test("Timeline keeps the last values, stands still when it is told to, and forgets when it is told to", () => {
  const timeline = new Timeline(3);
  const start = Date.UTC(2026, 0, 1);
  for (let n = 0; n < 1000; n++) timeline.add(String(n), start + n * 10);
  assertEquals(timeline.take().map(({ text, after }) => text + after), ["997+10 ms", "998+10 ms", "999+10 ms"]);
  assertEquals(timeline.take(), []);
  timeline.pause(true);
  timeline.add("late", start + 60_000);
  assertEquals(timeline.take(), []);
  assertEquals(timeline.summary(start + 60_000), "1001 values, 1 wait");
  timeline.pause(false);
  assertEquals(timeline.take().map(({ text, after }) => [text, after]), [["late", "+50.0 s"]]);
  timeline.clear();
  timeline.add("first", start + 70_000);
  assertEquals(timeline.take()[0].after, "");
  assertEquals(timeline.summary(), "1 value");
  timeline.add("second", start + 70_500);
  assertEquals(timeline.summary(start + 70_500), "2 values, 2.0 a second");
  assertEquals([spanText(-5), spanText(59_999), spanText(61_000)], ["0 ms", "60.0 s", "1 min 1 s"]);
});

Deno.test("fittingVersion() fits the first condition of an operation's versions", () => {
  assertEquals(["<2", ">=4.2", ">3", "<4.2", "<=1", "5"].map(fittingVersion), ["1", "4.2", "4", "4.1", "1", "5"]);
});
