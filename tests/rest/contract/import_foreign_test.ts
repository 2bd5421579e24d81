/** Documents of other programs: what their schemas, names and servers say, the module says too, and it loads. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { api, chan, handler, implement, link, rest, stream } from "../../../lib/rest/mod.ts";
import { diff } from "../../../lib/rest/contract/diff.ts";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { openapi } from "../../../lib/rest/surfaces.ts";
import { inFile, loadModule, specifiers } from "../../fixtures/rest/imported_module.ts";
import { runOk } from "../../fixtures/run.ts";

const info = { title: "Foreign", version: "1" };
const json = (schema?: unknown) => ({ content: { "application/json": schema === undefined ? {} : { schema } } });
const foreign = (paths: unknown, more: object = {}) => ({ openapi: "3.0.3", info, paths, ...more });
/** A document of one schema, as the body of its operation. */
const ofSchema = (schema: unknown) => foreign({ "/a": { post: { operationId: "Put", requestBody: json(schema) } } });

const UNTYPED = foreign({
  "/echo": {
    post: { operationId: "Echo", requestBody: { ...json({}), required: true }, responses: { 200: json() } },
    put: { operationId: "Keep", requestBody: json(), responses: { 200: json({ $ref: "#/components/schemas/Any" }) } },
    get: {
      operationId: "Last",
      responses: { 200: { ...json({ nullable: true }), headers: { "X-Left": { schema: {} } } } },
    },
  },
  "/forms/{id}": {
    post: {
      operationId: "Form",
      parameters: [{ name: "id", in: "path", required: true, schema: {} }, { name: "X-Why", in: "header", schema: {} }],
      requestBody: { content: { "application/x-www-form-urlencoded": { schema: {} } }, required: true },
      responses: { 200: json({}) },
    },
    put: {
      operationId: "Note",
      parameters: [{ name: "id", in: "path", required: true, schema: { $ref: "#/components/schemas/Any" } }],
      requestBody: { content: { "text/plain": {} }, required: true },
      responses: { 200: { content: { "text/plain": { schema: {} } } } },
    },
  },
}, { components: { schemas: { Any: { description: "Whatever." } } } });

Deno.test("importOpenAPI() takes any JSON where a document has no type, and text where that stands alone", async () => {
  const { definition } = await loadModule(UNTYPED);
  assertEquals(definition.plans.map(({ name, tag }) => `${name}: ${tag}`), [
    "Last: GET /echo *,X-Left:",
    "Echo: POST /echo (*) *",
    "Keep: PUT /echo (*) *",
    "Form: POST(application/x-www-form-urlencoded) /forms/{id=%v} (*,X-Why:) *",
    "Note: PUT /forms/{id=%v}",
  ]);
  const serve = handler(
    null,
    implement(definition, {
      Last: () => [{ a: [1, null] }, "7"],
      Echo: (value: unknown) => ({ value }),
      Keep: (value: unknown) => ({ value }),
      Form: (id: string, form: unknown, why: string) => [id, form, why],
      Note: (id: string, text: string) => id + text,
      // The definition is not known to the compiler before it is loaded.
    } as never),
  );
  const calls = link(definition, "http://h", { fetch: serve }) as unknown as Record<
    string,
    (...values: unknown[]) => Promise<unknown>
  >;
  for (const value of ["text", 7, true, null, [1, "2"], { a: { b: [null] } }]) {
    assertEquals(await calls.Echo(value), { value });
    assertEquals(await calls.Keep(value), { value });
  }
  assertEquals(await calls.Keep(), {});
  assertEquals(await calls.Last(), [{ a: [1, null] }, "7"]);
  assertEquals(await calls.Form("a", { b: "c" }, "d"), ["a", { b: "c" }, "d"]);
  assertEquals(await calls.Note("a", "b"), "ab");
  // A body that must be there is asked for.
  const { status } = await serve(new Request("http://h/echo", { method: "POST" }));
  assertEquals(status, 400);
  const again = openapi(definition).paths["/echo"];
  const content = { "application/json": { schema: {} } };
  assertEquals([again.post.requestBody, again.put.requestBody], [{ required: true, content }, {
    required: false,
    content,
  }]);
});

Deno.test("importOpenAPI() writes modules of untyped documents that type-check", async () => {
  const text = importOpenAPI(UNTYPED, specifiers);
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  await inFile(
    text,
    (file) => runOk([Deno.execPath(), "check", "--quiet", "--no-lock", "--config", config, file]),
  );
});

Deno.test("importOpenAPI() renames operations and schemas that JavaScript has a use of its own for", async () => {
  const names = ["then", "constructor", "toString", "__proto__", "get-it", "Fine"];
  const paths = Object.fromEntries(names.map((operationId) => [`/${operationId}`, { get: { operationId } }]));
  const then = { type: "object", properties: { a: { type: "string" } } };
  const { definition, text } = await loadModule(foreign({
    ...paths,
    "/schema": { post: { operationId: "Send", requestBody: json({ $ref: "#/components/schemas/then" }) } },
  }, { components: { schemas: { then } } }));
  assertEquals(definition.plans.map(({ name }) => name), [
    "then_",
    "constructor_",
    "toString_",
    "__proto___",
    "get_it",
    "Fine",
    "Send",
  ]);
  assertStringIncludes(text, '  // In the document: "then".\n  then_: rest("GET /then", [], []),');
  assertEquals(text.includes('// In the document: "Fine"'), false);
});

Deno.test("importOpenAPI() keeps the path of a relative server, and the default of a variable", () => {
  const baseOf = (server: unknown) =>
    /= api\("([^"]*)"/.exec(importOpenAPI(foreign({}, { servers: [server] })))?.[1] ?? "";
  const variables = {
    host: { default: "eu" },
    version: { default: "v2", enum: ["v1", "v2"] },
    port: { default: 8443 },
  };
  for (
    const [server, base] of [
      [{ url: "/v1" }, "http://localhost/v1"],
      [{ url: "/v1/" }, "http://localhost/v1"],
      [{ url: "v1" }, "http://localhost/v1"],
      [{ url: "/" }, "http://localhost"],
      [{ url: "//pets.example.com/v1" }, "https://pets.example.com/v1"],
      [{ url: "wss://pets.example.com/v1" }, "http://localhost"],
      [{ url: "HTTPS://pets.example.com/" }, "HTTPS://pets.example.com"],
      [{ url: "https://{host}.example.com:{port}/{version}", variables }, "https://eu.example.com:8443/v2"],
      [{ url: "/{version}", variables }, "http://localhost/v2"],
      [{ url: "https://{toString}.example.com" }, "https://{toString}.example.com"],
      [undefined, "http://localhost"],
    ] as const
  ) assertEquals(baseOf(server), base);
});

Deno.test("importOpenAPI() of an API's own document calls the paths of its base", async () => {
  const own = api("own.example.com/v1", { Ping: rest("GET /ping", [], [z.string()]) });
  const { definition } = await loadModule(openapi(own));
  const asked: string[] = [];
  const fetch = ({ url }: Request) => {
    asked.push(url);
    return Promise.resolve(new Response("pong"));
  };
  // The definition is read from text, and says the same.
  await link(definition as typeof own, undefined, { fetch }).Ping();
  assertEquals(asked, ["http://localhost/v1/ping"]);
  assertEquals([diff(openapi(own), definition), diff(definition, own)], [[], []]);
});

Deno.test("importOpenAPI() of an API's own document keeps the spellings and limits of requests", async () => {
  const own = api("x", {
    Put: rest("PUT /engine/a", [z.string()], [], { limit: 2 ** 30 }),
    Send: rest("POST /engine/a", [stream()]),
    Fill: rest("POST /engine/b", [stream()], [], { limit: Infinity }),
    Add: rest("POST /engine/c", [z.object({ a: z.string() })], [z.string()]),
  }, {
    versioned: true,
    aliases: { engine: ["libpod"] },
    query: { ignoreCase: true, emptyIsAbsent: true },
    title: "Own",
  });
  const { definition, text } = await loadModule(JSON.parse(JSON.stringify(openapi(own))));
  assertEquals([diff(own, definition), diff(definition, own)], [[], []]);
  assertEquals(definition.options, own.options);
  assertEquals(definition.plans.map(({ limit }) => limit).sort(), own.plans.map(({ limit }) => limit).sort());
  assertStringIncludes(text, 'Send: rest("POST /engine/a", [stream("application/octet-stream")], []),');
});

Deno.test("importOpenAPI() reads exclusive bounds of OpenAPI 3.0 and of 3.1", () => {
  const bounds = (schema: object) =>
    /\[z\.(?:int|number)\(\)([^\]]*?)(?:\.optional\(\))?\]/.exec(importOpenAPI(ofSchema(schema)))?.[1];
  const odd = { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true };
  assertEquals(bounds({ type: "number", ...odd }), ".gt(0).lt(9)");
  assertEquals(bounds({ type: "integer", ...odd, exclusiveMinimum: false }), ".min(0).lt(9)");
  assertEquals(bounds({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9, maximum: 8 }), ".max(8).gt(0).lt(9)");
  assertEquals(bounds({ type: "number", exclusiveMinimum: true }), "");
});

Deno.test("importOpenAPI() gives a pattern the flag that it needs", async () => {
  const patternOf = (pattern: string) =>
    /\.regex\((new RegExp\(.*?\))\)(?:\.optional|\])/.exec(importOpenAPI(ofSchema({ type: "string", pattern })))?.[1];
  assertEquals(patternOf("^\\p{L}+$"), 'new RegExp("^\\\\p{L}+$", "u")');
  assertEquals(patternOf("^\\u{1F600}$"), 'new RegExp("^\\\\u{1F600}$", "u")');
  assertEquals(patternOf("^[😀-😎]$"), 'new RegExp("^[😀-😎]$", "u")');
  // The escape of "_" is an error with the flag.
  assertEquals(patternOf("^[\\p{L}\\_]+$"), 'new RegExp("^[\\\\p{L}\\\\_]+$")');
  assertEquals(patternOf("^\\\\p{2}\\d$"), 'new RegExp("^\\\\\\\\p{2}\\\\d$")');
  assertEquals(patternOf("^[a-z]\\-$"), 'new RegExp("^[a-z]\\\\-$")');
  assertEquals(patternOf("(?i)a"), undefined);
  const { definition } = await loadModule(
    ofSchema({ type: "object", properties: { a: { type: "string", pattern: "^\\p{L}+$" } } }),
  );
  const { schema } = definition.plans[0].arguments[0];
  const isTaken = async (a: string) => (await schema["~standard"].validate({ a })).issues === undefined;
  assertEquals([await isTaken("Zoë"), await isTaken("p{L}")], [true, false]);
});

Deno.test("importOpenAPI() lets no text of a document end a comment", () => {
  const evil = "x\u2028alert(1)\u2029alert(2)\nalert(3)";
  const parameters = [
    { name: evil, in: "header" },
    { name: "q", in: "query", style: evil, schema: { type: "array" } },
  ];
  const text = importOpenAPI(foreign({ "/a": { get: { operationId: evil, parameters } } }));
  const comments = text.split(/[\n\u2028\u2029]/).filter((line) => line.includes("alert("));
  assertEquals(comments.every((line) => line.startsWith("  // ")), true, text);
});

Deno.test("importOpenAPI() of an API's own document keeps versions of one path apart, and channels that are arguments", async () => {
  const shop = api("http://localhost", {
    Find: rest("GET /books", [], [z.array(z.string())], { versions: ">=2" }),
    Titles: rest("GET /books", [], [z.string()], { versions: "<2" }),
    Haggle: rest("POST /offers", [chan(z.int())], [chan(z.boolean())]),
    Sum: rest("POST /sums", [chan(z.int())], [z.int()], { limit: Infinity }),
  }, { versioned: true });
  const { definition, text } = await loadModule(openapi(shop));
  assertStringIncludes(text, 'rest("GET /books", [], [z.array(z.string())], { versions: ">=2" })');
  assertStringIncludes(text, 'rest("POST /offers", [chan(z.int())], [chan(z.boolean())])');
  assertStringIncludes(text, 'rest("POST /sums", [chan(z.int())], [z.int()], { limit: Infinity })');
  assertEquals(diff(shop, definition).filter((change) => change.breaking), []);
  assertEquals(diff(definition, shop).filter((change) => change.breaking), []);
  const hostile = JSON.stringify(openapi(shop)).replaceAll('">=2"', JSON.stringify('">=2", description: "no'));
  assert(!importOpenAPI(JSON.parse(hostile)).includes('"no'), "a text that is no comparison");
});

Deno.test("defect: importOpenAPI() encodes blanks and lone percent signs of a path, which a tag cannot hold", async () => {
  const { definition } = await loadModule(foreign({
    "/a b/{my id}": { get: { operationId: "A", parameters: [{ name: "my id", in: "path", required: true }] } },
    "/100%/a%20b": { get: { operationId: "B" } },
  }));
  assertEquals(definition.plans.map(({ tag }) => tag), ["GET /a%20b/{my_id=%v}", "GET /100%25/a%20b"]);
});
