import { cpuUsage } from "node:process";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { api, handler, implement, link, rest } from "../../../lib/rest/mod.ts";
import { openapi } from "../../../lib/rest/surfaces.ts";
import { loadModule } from "../../fixtures/rest/imported_module.ts";
import { z } from "../../fixtures/zod.ts";

/** A document with one operation whose result is `Shape`. */
function documentOf(schemas: Record<string, unknown>) {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Shape" } } };
  const get = { operationId: "Get", responses: { 200: { description: "", content } } };
  return {
    openapi: "3.1.0",
    info: { title: "Shapes", version: "1" },
    paths: { "/shape": { get } },
    components: { schemas },
  };
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const struct = (kind: unknown, field: string) => {
  return { type: "object", required: ["kind", field], properties: { kind, [field]: { type: "string" } } };
};

/** The result of a call, where a server without types answers with more than it should. */
async function resultOf(document: unknown, value: unknown): Promise<unknown> {
  const { definition } = await loadModule(document);
  const client = link(definition, "http://h", { fetch: () => Promise.resolve(Response.json(value)) });
  return await (client as unknown as { Get(): Promise<unknown> }).Get().catch(() => "refused");
}

Deno.test("importOpenAPI() makes one literal of a union's constants", () => {
  const kinds = { anyOf: [{ const: "a" }, { type: "null" }, { const: "b" }, { enum: ["b", "c"] }] };
  const mixed = { oneOf: [{ const: 1 }, { type: "string" }, { const: true }, { const: { x: 1 } }] };
  const text = importOpenAPI(
    documentOf({ Shape: { type: "object", required: ["kinds", "mixed"], properties: { kinds, mixed } } }),
  );
  assertStringIncludes(text, 'kinds: z.enum(["a","b","c"]).nullable()');
  assertStringIncludes(text, "mixed: z.union([z.literal([1,true]), z.string(), z.unknown()])");
});

Deno.test("importOpenAPI() of an API's own document tells members apart that a union of literals tells apart", async () => {
  const kind = z.union([z.literal("round"), z.literal("oval")]);
  const shape = z.union([
    z.object({ kind, radius: z.string() }),
    z.object({ kind: z.literal("square"), side: z.string() }),
  ]);
  const own = api("h", { Get: rest("GET /shape", [], [shape]) });
  const { definition } = await loadModule(openapi(own));
  const value = { kind: "square", side: "1", radius: "secret" } as { kind: "square"; side: string };
  const serve = handler(null, implement(definition, { Get: () => value } as never));
  assertEquals(await (await serve(new Request("http://h/shape"))).json(), { kind: "square", side: "1" });
});

Deno.test("importOpenAPI() gives the members of a union the values that a discriminator maps to them", async () => {
  const plain = { type: "string" };
  const mapping = { cat: "#/components/schemas/Cat", lion: "Cat", dog: "#/components/schemas/Dog", x: 7, bird: "Gone" };
  const schemas = {
    Shape: { oneOf: ["Cat", "Dog", "Own"].map(reference), discriminator: { propertyName: "kind", mapping } },
    Cat: struct(plain, "claws"),
    Dog: struct(plain, "bark"),
    Own: struct({ const: "own" }, "left"),
  };
  const text = importOpenAPI(documentOf(schemas));
  const members = 'Cat.extend({ kind: z.enum(["cat","lion"]) }), Dog.extend({ kind: z.literal("dog") }), Own';
  assertStringIncludes(text, `z.union([${members}])`);
  assertEquals(await resultOf(documentOf(schemas), { kind: "lion", claws: "4" }), { kind: "lion", claws: "4" });
  assertEquals(await resultOf(documentOf(schemas), { kind: "dog", claws: "4" }), "refused");
});

Deno.test("importOpenAPI() leaves a discriminator's members as they are where there are no values or no fields to replace", () => {
  const unions = (discriminator: unknown, Cat: unknown = struct({ type: "string" }, "claws")) =>
    importOpenAPI(documentOf({ Shape: { oneOf: [reference("Cat"), { type: "string" }], discriminator }, Cat }));
  const mapping = { cat: "Cat" };
  // Its type is written as one of any schema.
  const SELF = { type: "object", properties: { kin: { type: "object", additionalProperties: reference("Cat") } } };
  const rows = [
    unions({ propertyName: "kind" }),
    unions({ propertyName: 5, mapping }),
    unions({ propertyName: "kind", mapping: "Cat" }),
    unions({ propertyName: "kind", mapping }, { allOf: [struct({}, "a"), struct({}, "b")] }),
    unions({ propertyName: "kind", mapping }, SELF),
    unions({ propertyName: "kind", mapping }, { ...struct({ type: "string" }, "claws"), nullable: true }),
    unions({ propertyName: "kind", mapping }, { ...struct({ type: "string" }, "claws"), type: ["object", "null"] }),
    unions({ propertyName: "kind", mapping: { 'x" }), (evil': "Dog" } }),
  ];
  for (const text of rows) assertStringIncludes(text, "Shape = z.union([Cat, z.string()]);");
  const odd = unions({ propertyName: 'a"b', mapping: { 'c"d': "Cat" } });
  assertStringIncludes(odd, 'Cat.extend({ "a\\"b": z.literal("c\\"d") })');
});

Deno.test("importOpenAPI() reads a mapping of many values, and a union that names a component many times, in linear time", () => {
  const text = (count: number) => {
    const mapping = Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, "Cat"]));
    const oneOf = Array.from({ length: count }, () => reference("Cat"));
    const discriminator = { propertyName: "kind", mapping };
    return importOpenAPI(documentOf({ Shape: { oneOf, discriminator }, Cat: struct({ type: "string" }, "claws") }));
  };
  const spent = (count: number) => {
    const { user, system } = cpuUsage();
    text(count);
    const { user: later, system: own } = cpuUsage();
    return later + own - user - system;
  };
  text(500);
  const once = spent(1_000);
  const ratio = spent(10_000) / Math.max(once, 5_000);
  assert(ratio < 25, `ten times as many values take ${ratio} times as long`);
});
