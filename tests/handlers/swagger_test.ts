import { assert, assertEquals, assertExists } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { containersAPI } from "../../handlers/containers/api.ts";
import { imagesAPI } from "../../handlers/images/api.ts";
import { DefaultEngineSwaggerSpec } from "../../handlers/swagger.ts";
import { systemAPI } from "../../handlers/system/api.ts";

const document = DefaultEngineSwaggerSpec();
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

Deno.test("DefaultEngineSwaggerSpec() is a valid OpenAPI document", async () => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  assert(valid, JSON.stringify(errors));
});

Deno.test("DefaultEngineSwaggerSpec() has every operation of the native tree once", () => {
  const plans = [containersAPI, imagesAPI, systemAPI].flatMap((definition) => definition.plans.map(({ name }) => name));
  assertEquals(operations.map(({ operationId }) => operationId).sort(), plans.sort());
});

Deno.test("DefaultEngineSwaggerSpec() says what errors look like on the wire", () => {
  const { content } = document.components.responses.ErrorOther;
  assertExists(content);
  const [{ schema }] = Object.values(content);
  const name = String(schema?.$ref).split("/").pop()!;
  assertEquals(Object.keys(document.components.schemas[name].properties as object).sort(), [
    "cause",
    "message",
    "response",
  ]);
});
