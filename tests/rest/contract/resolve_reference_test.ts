import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";

/** A document with one operation, whose result is `schema`. */
function documentWith(schema: unknown, more: Record<string, unknown> = {}) {
  const responses = { 200: { description: "It", content: { "application/json": { schema } } } };
  return {
    openapi: "3.1.0",
    info: { title: "x", version: "1" },
    paths: { "/it": { get: { operationId: "It", responses, ...more } } },
    components: {
      parameters: { Again: { $ref: "#/components/parameters/Again" } },
      schemas: {
        Pet: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, "a/b%~": { type: "boolean" } },
        },
        Any: true,
        List: { properties: { next: { type: "array", items: { $ref: "#/components/schemas/List/properties/next" } } } },
      },
    },
  };
}

Deno.test("importOpenAPI() says which reference leads nowhere, to itself or to another document", () => {
  const cases: [ref: string, why: string][] = [
    ["#/components/schemas/Nowhere", "leads nowhere"],
    ["#/components/schemas/Pet/properties/age", "leads nowhere"],
    ["#/components/schemas/toString", "leads nowhere"],
    ["#/components/schemas/%zz", "leads nowhere"],
    ["pets.yaml#/components/schemas/Pet", "is in another document"],
    ["https://example.com/pets.json", "is in another document"],
  ];
  for (const [$ref, why] of cases) {
    const message = `Import the document: "${$ref}" ${why}`;
    assertThrows(() => importOpenAPI(documentWith({ $ref })), TypeError, message);
    assertThrows(() => importOpenAPI(documentWith({ type: "string" }, { parameters: [{ $ref }] })), TypeError, message);
  }
  const again = { parameters: [{ $ref: "#/components/parameters/Again" }] };
  assertThrows(() => importOpenAPI(documentWith({}, again)), TypeError, "leads back to itself");
});

Deno.test("importOpenAPI() follows references to any part of the document, and takes examples for what they are", () => {
  const resultOf = (schema: unknown) => /\[\], \[(.*)\]\)/.exec(importOpenAPI(documentWith(schema)))?.[1];
  assertEquals(resultOf({ $ref: "#/components/schemas/Pet/properties/name" }), "z.string()");
  assertEquals(resultOf({ $ref: "#/components/schemas/Pet/properties/a~1b%25~0" }), "z.boolean()");
  assertEquals(resultOf({ $ref: "#/components/schemas/Any" }), "Any");
  assertEquals(resultOf({ $ref: "#/components/schemas/List/properties/next" }), "z.array(z.unknown())");
  assertStringIncludes(importOpenAPI(documentWith({ type: "string", example: { $ref: "#/no" } })), "[z.string()]");
});
