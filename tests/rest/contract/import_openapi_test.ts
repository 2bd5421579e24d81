import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "zod";
import { api, bytes, chan, handler, int64, link, rest, stream, time } from "../../../lib/rest/mod.ts";
import { diff } from "../../../lib/rest/contract/diff.ts";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";
import { openapi } from "../../../lib/rest/surfaces.ts";
import { inFile, loadModule, specifiers } from "../../fixtures/rest/imported_module.ts";
import { runOk } from "../../fixtures/run.ts";

const root = new URL("../../../", import.meta.url);

const Author = z.object({ name: z.string().min(1), born: z.date().optional() });
const Book = z.object({
  id: z.uuid(),
  price: z.number().min(0).max(999),
  sold: z.bigint(),
  kind: z.enum(["a", "b"]),
  authors: z.array(Author).max(5),
  note: z.string().nullable(),
  more: z.record(z.string(), z.int()),
});
const shop = api("http://shop.example.com", {
  Get: rest("GET /books/{id=%v}", [z.string()], [Book]),
  Find: rest("GET /books?limit=%v&kind=%v&sold=%v", [z.int().positive(), z.enum(["a", "b"]).optional(), int64], [
    z.array(Book),
  ]),
  Add: rest("POST /books", [Book], [z.string()], { status: 201, description: "Adds it." }),
  Change: rest("PATCH /books/{id=%v}?notify=%[3]v", [z.string(), Author, z.boolean().optional()], [Book]),
  Clear: rest("DELETE /shelves/{path*=%v}", [z.string()]),
  Prices: rest("GET /prices", [], [chan(z.object({ cents: z.int() }))]),
  Cover: rest("GET /covers/{id=%v}.png", [z.string()], [stream("image/png")]),
  Since: rest("GET /since?at=%v", [time], [int64]),
}, { title: "Books" });

Deno.test("importOpenAPI() of an API's own document breaks none of its callers, nor they its server", async () => {
  const document = openapi(shop);
  const { definition } = await loadModule(document);
  const again = openapi(definition);
  assertEquals([diff(document, again), diff(again, document)].map((list) => list.filter(({ breaking }) => breaking)), [
    [],
    [],
  ]);
  assertEquals(definition.plans.map(({ name }) => name).sort(), shop.plans.map(({ name }) => name).sort());
  assertEquals(definition.options.title, "Books");
});

const PETS = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example.com/v2/" }],
  paths: {
    "/pets/{pet-id}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      get: { operationId: "get-pet", responses: { 200: { $ref: "#/components/responses/Pet" } } },
      delete: {
        parameters: [{ name: "X-Why", in: "header", schema: { type: "string" } }],
        responses: { 202: { description: "Soon" } },
      },
    },
    "/pets": {
      // Neither a time nor a big number nor bytes have to be there.
      put: {
        operationId: "paint",
        requestBody: { content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } },
        parameters: [
          { name: "at", in: "query", schema: { type: "string", format: "date-time" } },
          { name: "size", in: "query", schema: { type: "integer", format: "int64" } },
        ],
        responses: { 204: { description: "Done" } },
      },
      post: {
        operationId: "default",
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
          required: true,
        },
        parameters: [{ name: "dry run", in: "query", schema: { type: "boolean" } }],
        responses: { 200: { content: { "application/json": { schema: { type: "string" } } } } },
      },
    },
  },
  components: {
    parameters: { Id: { name: "pet-id", in: "path", required: true, schema: { type: "integer", format: "int64" } } },
    responses: { Pet: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } } },
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string" },
          "nick name": { type: "string", nullable: true },
          parents: { type: "array", items: { $ref: "#/components/schemas/Pet" } },
          tag: { allOf: [{ $ref: "#/components/schemas/z" }] },
        },
      },
      z: {
        type: "object",
        properties: {
          class: { type: "string", pattern: '^\\d"\\n`[$]{1}$' },
          odd: { type: "string", pattern: "(?i)a" },
        },
      },
    },
  },
};

Deno.test("importOpenAPI() reads OpenAPI 3.0: references, names that are no identifiers, types that hold themselves", async () => {
  const { definition } = await loadModule(PETS);
  assertEquals(definition.base, "https://pets.example.com/v2");
  assertEquals(definition.plans.map(({ name, tag, status }) => `${name}: ${tag} ${status}`), [
    "get_pet: GET /pets/{pet_id=%v} 200",
    "delete_pets_pet_id_: DELETE /pets/{pet_id=%v} (X-Why:) 202",
    "default_: POST /pets?dry%20run=%[2]v 200",
    "paint: PUT /pets?at=%[2]v&size=%[3]v 204",
  ]);
  const calls = link(definition, undefined, { fetch: handler(null, mock(definition)) }) as unknown as {
    get_pet(id: bigint): Promise<{ name: string }>;
  };
  assertEquals(typeof (await calls.get_pet(1n)).name, "string");
});

Deno.test("importOpenAPI() writes modules that type-check, also by what their clients take", async () => {
  const [books, pets] = [openapi(shop), PETS].map((document) => importOpenAPI(document, specifiers));
  const check = (text: string) =>
    inFile(text, (file) => {
      const config = new URL("deno.json", root).pathname;
      return runOk([Deno.execPath(), "check", "--quiet", "--no-lock", "--config", config, file]);
    });
  // One check of both: two modules of one file would share their names.
  await inFile(pets, (file) =>
    check(`import { link } from ${JSON.stringify(specifiers.rest)};
import { definition as pets } from "file://${file}";
${books}
const { price }: { price: number } = await link(definition).Get("1");
const name: string = (await link(pets).get_pet(BigInt(price))).name;
// @ts-expect-error: the limit is a number
await link(definition).Find(name);
`));
});

Deno.test("importOpenAPI() refuses what is no document of OpenAPI 3", () => {
  for (const document of [null, {}, { swagger: "2.0", paths: {} }, { openapi: "3.1.0" }]) {
    assertThrows(() => importOpenAPI(document), TypeError, "expected OpenAPI 3");
  }
});

Deno.test("importOpenAPI() writes no code that a document brings", () => {
  const evil = '"); alert(1); ("';
  const text = importOpenAPI({
    openapi: "3.1.0",
    info: { title: evil, version: "1" },
    servers: [{ url: `https://${evil}` }],
    paths: {
      [`/a${evil}`]: {
        get: { operationId: evil, description: evil, parameters: [{ name: `x\n${evil}`, in: "header" }] },
      },
    },
  });
  // Only within strings and comments, in one line each.
  const code = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\/\/.*$/gm, "");
  assertEquals(code.includes("alert("), false, text);
});

Deno.test("importOpenAPI() carries bytes, files and spread queries, and names the styles that no tag can say", async () => {
  const own = api("http://own.example.com", {
    Bytes: rest("POST(application/json) /bytes", [bytes], [bytes]),
    Search: rest("GET /search?%v", [z.record(z.string(), z.string())], [z.string()]),
  });
  const { definition, text } = await loadModule(openapi(own));
  assertStringIncludes(text, 'Bytes: rest("POST(application/json) /bytes", [bytes], [bytes])');
  // The question of such a client is the one that the server was made for.
  const asked: string[] = [];
  const fetch = (request: Request) => {
    asked.push(request.url);
    return Promise.resolve(Response.json("found"));
  };
  const { Search } = link(definition as typeof own, "http://h", { fetch });
  await Search({ a: "1", b: "2" });
  assertEquals(asked, ["http://h/search?a=1&b=2"]);

  const parameter = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });
  const list = { type: "array", items: { type: "string" } };
  const object = { type: "object", properties: { a: { type: "string" } } };
  const foreign = importOpenAPI({
    openapi: "3.0.3",
    info: { title: "Foreign", version: "1" },
    components: { schemas: { Version: { type: "string", enum: ["1", "2"] } } },
    paths: {
      "/odd": {
        post: {
          operationId: "Odd",
          requestBody: {
            content: {
              "application/json": {
                schema: { type: "object", required: ["b"], properties: { b: { type: "string", format: "binary" } } },
              },
            },
          },
        },
      },
      "/find": {
        get: {
          operationId: "Find",
          parameters: [
            parameter("deep", object, { style: "deepObject" }),
            parameter("ids", list, { explode: false }),
            parameter("tags", list),
            parameter("filter", object, { required: true }),
            parameter("version", { $ref: "#/components/schemas/Version" }, { required: true, explode: false }),
          ],
        },
      },
      "/upload": {
        post: {
          operationId: "Upload",
          requestBody: {
            required: true,
            content: {
              "multipart/form-data": {
                schema: {
                  type: "object",
                  required: ["file"],
                  properties: { file: { type: "string", format: "binary" } },
                },
              },
            },
          },
        },
      },
    },
  });
  assertStringIncludes(foreign, '// Not in the tag: query "deep", of the style deepObject.');
  assertStringIncludes(foreign, '// Not in the tag: query "ids", of the style form that is not exploded.');
  const query = '"GET /find?%v&version=%v&tags=%v", [z.object({ a: z.string().optional() }), Version, ';
  assertStringIncludes(foreign, `Find: rest(${query}`);
  assertStringIncludes(foreign, "z.object({ b: z.string() })");
  assertStringIncludes(foreign, "z.object({ file: z.file() })");
});
