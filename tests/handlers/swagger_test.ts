import { assert, assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { listDefinitions } from "../../handlers/families.ts";
import { implementFamilies } from "../../handlers/engine_handler.ts";
import { DefaultEngineSwaggerSpec } from "../../handlers/swagger.ts";
import { openTestEngine } from "../fixtures/handlers/test_engine.ts";

const document = DefaultEngineSwaggerSpec;
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

Deno.test("DefaultEngineSwaggerSpec is a valid OpenAPI document", async () => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  assert(valid, JSON.stringify(errors));
});

Deno.test("DefaultEngineSwaggerSpec is what ServeSwagger sends, whole", async () => {
  await using test = await openTestEngine({ pulled: false });
  const sent = await (await test.send("GET", "/libpod/swagger")).text();
  assertEquals(JSON.stringify(document), JSON.stringify(JSON.parse(sent)));
});

Deno.test("DefaultEngineSwaggerSpec has every operation of both trees once", async () => {
  await using test = await openTestEngine({ pulled: false });
  const served = implementFamilies(test.engine).flatMap(({ definition }) => definition.plans.map(({ name }) => name))
    .sort();
  assertEquals(operations.map(({ operationId }) => operationId).sort(), served, "families.ts has every family");
});

Deno.test("DefaultEngineSwaggerSpec says what errors look like on the wire", () => {
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

Deno.test("ServeSwagger() answers the document as YAML, under every spelling of its path", async () => {
  await using test = await openTestEngine({ pulled: false });
  for (const path of ["/engine/swagger", "/libpod/swagger", "/v5.0.0/libpod/swagger"]) {
    const reply = await test.send("GET", path);
    assertEquals([reply.status, reply.headers.get("content-type")], [200, "text/yaml"]);
    assertExists(reply.headers.get("libpod-api-version"));
    assertEquals(JSON.parse(await reply.text()), JSON.parse(JSON.stringify(document)));
  }
});

Deno.test("engineHandler() shows the surfaces of the API on its root, and answers what is unknown as before", async () => {
  await using test = await openTestEngine({ pulled: false });
  const page = await test.send("GET", "/", undefined, { accept: "text/html" });
  assertEquals([page.status, page.headers.get("content-type")], [200, "text/html;charset=UTF-8"]);
  assertStringIncludes(await page.text(), 'id="CompatCreateContainer"');
  const module = await (await test.send("GET", "/client.js")).text();
  const { connect } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  assertEquals(await connect("http://d", { fetch: test.serve }).GetImages({}), []);
  const unknown = await test.send("GET", "/nothing");
  assertEquals([unknown.status, await unknown.text()], [404, "Not Found\n"]);
});

Deno.test("listDefinitions() have a title each, so that documents group operations by family", () => {
  const titles = listDefinitions().map(({ options }) => options.title);
  assertEquals(new Set(titles).size, titles.length);
  assertEquals(document.tags?.map(({ name }) => name), titles);
});
