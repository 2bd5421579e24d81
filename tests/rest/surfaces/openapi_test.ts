import { assert, assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "../../fixtures/zod.ts";
import { api, basic, bearer, chan, error, type ErrorCodec, int64, rest, stream } from "../../../lib/rest/mod.ts";
import { type DocumentOptions, openapi, type OpenAPIDocument } from "../../../lib/rest/surfaces.ts";
import { shop } from "../../fixtures/rest/shop.ts";

/** Asks a well-kept validator, which knows the meta-schema of OpenAPI 3.1. */
async function assertValid(document: OpenAPIDocument): Promise<void> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
  assert(valid, JSON.stringify(errors));
  for (const ref of references(document)) {
    const target = ref.slice(2).split("/").reduce<unknown>(
      (at, key) => (at as Record<string, unknown>)?.[key],
      document,
    );
    assertExists(target, `${ref} leads nowhere`);
  }
}

function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "$ref" && typeof item === "string" ? [item] : references(item)
  );
}

function operations(document: OpenAPIDocument) {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

Deno.test("openapi() makes a valid document of everything the transport can do", async () => {
  for (const auth of [null, bearer("x"), basic(() => "ann")]) await assertValid(openapi(shop, { auth, version: "2" }));
});

Deno.test("openapi() gives every operation an id of its own, over several definitions", async () => {
  const other = api("x", { Add: rest("GET /other/sum?a=%v", [int64], [int64]) }, { title: "Other" });
  const document = openapi([shop, other]);
  const ids = operations(document).map((operation) => operation.operationId);
  assertEquals(new Set(ids).size, shop.plans.length + 1);
  assert(ids.includes("Add") && ids.includes("Add_2"));
  assertEquals(document.paths["/other/sum"].get.tags, ["Other"]);
  await assertValid(document);
});

Deno.test("openapi() describes parameters where they stand, with what they must be", () => {
  const { paths } = openapi(shop);
  const search = paths["/items"].get.parameters!;
  assertEquals(search.map(({ name }) => name), ["text", "state", "tag", "limit", "cheap", "price.from", "price.to"]);
  assertEquals(search[0].description, "Words that must all be there");
  assertEquals(search.every((parameter) => parameter.required !== true), true);
  assertEquals(search[3].schema, { type: "integer", minimum: 1, maximum: 100 });
  const [file] = paths["/files/{path}"].get.parameters!;
  assertEquals([file.in, file.required, file["x-gantry-remainder"]], ["path", true, true]);
  assertEquals(paths["/sum"].get.parameters!.map(({ required }) => required), [true, true]);
  assertEquals(paths["/labels"].get.parameters![0].schema?.type, "object");
});

Deno.test("openapi() keeps operations apart that share a path, and gives a path one set of names", async () => {
  const definition = api("x", {
    A: rest("GET /find?kind=a&q=%v", [z.string()], [z.string()]),
    B: rest("GET /find?kind=b&q=%v", [z.string()], [z.string()]),
    Named: rest("POST /find", [z.string()], [z.string()], { present: ["name"] }),
    Other: rest("POST /find", [z.string()], [z.string()]),
    Old: rest("PUT /find", [z.string()], [z.string()], { versions: "<4" }),
    New: rest("PUT /find", [z.string()], [z.string()], { versions: ">=4" }),
    Get: rest("GET /users/{id=%v}", [z.string()], [z.string()]),
    Delete: rest("DELETE /users/{name=%v}", [z.string()]),
  }, { versioned: true });
  const document = openapi(definition);
  assertEquals(
    operations(document).map(({ operationId }) => operationId).sort(),
    Object.keys(definition.operations).sort(),
  );
  assertEquals(document.paths["/find?kind=b"].get.operationId, "B");
  assertEquals(document.paths["/users/{id}"].delete.parameters![0].name, "id");
  await assertValid(document);
});

Deno.test("openapi() lifts structs, definitions and types that hold themselves into components", async () => {
  const Tree = z.object({
    value: z.string(),
    get children() {
      return z.array(Tree);
    },
  });
  const Named = z.object({ id: z.string() }).meta({ id: "Named thing" });
  const document = openapi(api("x", {
    PutTree: rest("PUT /tree", [Tree], [Tree]),
    ListTrees: rest("GET /trees", [], [z.array(Tree)]),
    GetNamed: rest("GET /named", [], [z.array(Named)]),
    GetPair: rest("GET /pair left,right", [], [Named, z.object({ big: z.bigint(), at: z.date() })]),
  }));
  await assertValid(document);
  const { schemas } = document.components;
  assertExists(schemas.PutTreeRequest);
  assertEquals(references(schemas.PutTreeRequest), ["#/components/schemas/PutTreeRequest"]);
  assertEquals(schemas.Named_thing.type, "object");
  assertEquals(JSON.stringify(document).includes("$defs"), false);
  const pair = Object.values(schemas).find((schema) => JSON.stringify(schema.properties).includes('"big"'));
  assertEquals(pair?.properties, {
    big: { type: "integer", format: "int64", "x-gantry-kind": "int64" },
    at: { type: "string", format: "date-time", "x-gantry-kind": "time" },
  });
});

Deno.test("openapi() leaves a property alone that is called like a keyword", () => {
  const Odd = z.object({
    id: z.string(),
    $ref: z.string(),
    items: z.string(),
    definitions: z.number(),
    rest: z.boolean(),
  });
  const { components } = openapi(api("x", { Get: rest("GET /odd", [], [Odd]) }));
  assertEquals(Object.keys(components.schemas.GetResult.properties as object), [
    "id",
    "$ref",
    "items",
    "definitions",
    "rest",
  ]);
});

Deno.test("openapi() describes bodies without what the path says", () => {
  const { paths, components } = openapi(shop);
  const schema = paths["/items/{id}"].put.requestBody!.content["application/json"].schema!;
  const struct = components.schemas[String(schema.$ref).split("/").pop()!];
  assertEquals(Object.keys(struct.properties as object).includes("id"), false);
  assertEquals((struct.required as string[]).includes("id"), false);
  assertEquals(paths["/files/{path}"].put.requestBody!.content, { "application/octet-stream": {} });
  const moves = paths["/moves"].post.requestBody!.content["application/json"].schema!;
  assertEquals((moves.prefixItems as unknown[]).length, 2);
});

Deno.test("openapi() describes channels, streams, statuses and nothing at all", () => {
  const { paths } = openapi(shop);
  const watch = paths["/watch"].get.responses;
  assertEquals(watch[200].content!["application/x-ndjson"], {
    schema: { $ref: "#/components/schemas/Item" },
    "x-gantry-channel": true,
  });
  assertExists(watch[200].content!["text/event-stream"]);
  assertExists(watch[101]);
  assertEquals(paths["/files/{path}"].get.responses[200].content, { "text/plain": {} });
  assertExists(paths["/items"].post.responses[201]);
  assertEquals(paths["/everything"].delete.responses[204].content, undefined);
});

Deno.test("openapi() describes failures as the error codec writes them", async () => {
  const codec: ErrorCodec = {
    type: "application/json",
    encode: (failure, { status }) => ({
      status: status === 400 ? 422 : status,
      body: { code: status, why: failure instanceof Error ? failure.message : "", hint: null },
    }),
    decode: (_status, body) => new Error(String(body)),
  };
  const document = openapi(api("x", { Get: rest("GET /a/{n=%v}", [int64], [int64, error]) }, { errors: codec }), {
    auth: bearer("x"),
  });
  const { responses } = document.paths["/a/{n}"].get;
  assertEquals(Object.keys(responses).sort(), ["200", "401", "406", "422", "500", "default"]);
  const { content } = document.components.responses.Error422;
  assertEquals(content!["application/json"].schema, { $ref: "#/components/schemas/Error" });
  assertEquals((content!["application/json"].example as { code: number }).code, 400);
  assertEquals(document.components.schemas.Error, {
    type: "object",
    properties: { code: { type: "integer" }, why: { type: "string" }, hint: { type: "null" } },
    required: ["code", "why", "hint"],
  });
  await assertValid(document);
});

Deno.test("openapi() says who may call, what the authenticator says of itself", () => {
  const describe = (auth: DocumentOptions["auth"]) => openapi(shop, { auth });
  assertEquals(describe(null).security, undefined);
  assertEquals(describe(bearer("x")).components.securitySchemes, { caller: { type: "http", scheme: "bearer" } });
  assertEquals(describe(basic(() => 1)).components.securitySchemes, { caller: { type: "http", scheme: "basic" } });
  const key = { type: "apiKey", in: "header", name: "x-key" };
  assertEquals(describe({ authenticate: () => 1, scheme: key }).components.securitySchemes, { caller: key });
  assertEquals(describe(bearer("x")).security, [{ caller: [] }]);
});

Deno.test("openapi() tells of other spellings and versions", () => {
  const definition = api("x", { Ping: rest("GET /engine/ping", [], [stream("text/plain")]) }, {
    aliases: { engine: ["libpod"] },
    versioned: true,
    title: "Engine",
  });
  const { info } = openapi(definition, { description: "What it is." });
  assertEquals(info.title, "Engine");
  assertStringIncludes(info.description!, "`/libpod` can stand for `/engine`");
  assertStringIncludes(info.description!, "`/v1.2`");
});

Deno.test("openapi() describes a channel whose tag names a type under that type only", () => {
  const document = openapi(api("x", {
    Events: rest("GET(application/json) /events", [], [chan(z.object({ a: z.string() }))], { body: "as-tagged" }),
  }));
  assertExists(document.paths["/events"].get.responses[200].content!["application/json"]["x-gantry-channel"]);
});

Deno.test("openapi() offers no JSON for a body with files", () => {
  const content = (id: string) => {
    const all = Object.values(openapi(shop).paths).flatMap((item) => Object.values(item));
    return Object.keys(all.find(({ operationId }) => operationId === id)!.requestBody!.content);
  };
  assertEquals(content("SendPictures"), ["multipart/form-data"]);
  assert(content("CreateItem").includes("application/json"));
});

Deno.test("openapi() puts the words about fields on the body, and on nothing else that has its type", async () => {
  const Part = z.object({ price: z.int().meta({ description: "At least 1." }), note: z.string().nullish() });
  const Order = z.object({ parts: z.array(Part), by: z.record(z.string(), Part).nullable() });
  const shared = z.object({ word: z.string() }).meta({ id: "Shared" });
  const orders = api("x", {
    Place: rest("POST /orders", [Order], [Order]),
    Again: rest("POST /again", [Order], [Order]),
    Pair: rest("POST /pair (order,count)", [shared, z.int()], [shared]),
  });
  const texts: Record<string, string> = {
    "parts.price": "Cents.",
    by: "By name.",
    "by.note": "For him.",
    count: "Pieces.",
    order: "An order.",
    "order.word": "A word.",
  };
  const document = openapi(orders, {
    words: (id) => id === "Again" ? undefined : { field: (path) => texts[path] },
  });
  await assertValid(document);
  const { PlaceRequest, PlaceResult, AgainRequest } = document.components.schemas;
  const told = JSON.stringify(PlaceRequest);
  for (const text of ["Cents. At least 1.", "By name.", "For him."]) assertStringIncludes(told, text);
  for (const other of [PlaceResult, AgainRequest]) assert(!/Cents|By name|For him/.test(JSON.stringify(other)));
  const { PairRequest, PairRequest_order, Shared } = document.components.schemas;
  const place = "#/components/schemas/PairRequest_order";
  assertEquals((PairRequest.properties as Record<string, unknown>).order, { $ref: place, description: "An order." });
  assertEquals(PairRequest_order.properties, { word: { type: "string", description: "A word." } });
  assertEquals(Shared.properties, { word: { type: "string" } });
});
