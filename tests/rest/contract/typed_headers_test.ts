/** Headers and cookies in the contract: documents, imports, differences, trials and made-up servers. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { api, handler, implement, int64, link, rest, time } from "../../../lib/rest/mod.ts";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { diff } from "../../../lib/rest/contract/diff.ts";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";
import { clientModule, openapi } from "../../../lib/rest/surfaces.ts";

const Item = z.object({ text: z.string() });
const shop = api("x", {
  Put: rest("PUT /items/{id=%v} (*,X-Tenant:,Cookie:sid) *,ETag:,X-Left:,Set-Cookie:a,Set-Cookie:b", [
    z.string(),
    Item,
    z.string().describe("Whose."),
    z.string().optional(),
  ], [Item, z.string(), int64, z.string(), z.string()]),
  List: rest("GET /items (X-Page:) *,X-Total:", [z.int()], [z.array(Item), z.int()]),
});

Deno.test("openapi() tells headers and cookies of requests, and headers of replies", async () => {
  const document = openapi(shop);
  const { parameters, requestBody, responses } = document.paths["/items/{id}"].put;
  assertEquals(parameters?.slice(1), [
    {
      name: "X-Tenant",
      in: "header",
      required: true,
      description: "Whose.",
      schema: { type: "string", description: "Whose." },
    },
    { name: "sid", in: "cookie", schema: { type: "string" } },
  ]);
  assertEquals(Object.keys(requestBody?.content ?? {})[0], "application/json");
  const { headers = {}, content = {} } = responses["200"];
  assertEquals(Object.keys(headers), ["ETag", "X-Left", "Set-Cookie"]);
  assertEquals(headers.ETag, { required: true, schema: { type: "string" } });
  assertEquals(headers["Set-Cookie"].description, 'Sets cookies: "a", "b"');
  assertEquals(content["application/json"].schema, { $ref: "#/components/schemas/PutRequest" });
  assertEquals((await new Validator().validate(JSON.parse(JSON.stringify(document)))).errors, undefined);
});

Deno.test("importOpenAPI() reads headers and cookies back", () => {
  const text = importOpenAPI(openapi(shop));
  assertStringIncludes(text, '"PUT /items/{id=%v} (*,X-Tenant:,Cookie:sid) *,ETag:,X-Left:,Set-Cookie:a,Set-Cookie:b"');
  assertStringIncludes(text, '"GET /items (X-Page:) *,X-Total:", [z.int()], [z.array(PutRequest), z.int()]');
  const names = ["sid", "a b", "x,y", 'q"', 7, "sid", "lang"];
  const headers = { "set-cookie": { schema: { type: "string" }, "x-gantry-cookies": names } };
  const get = { operationId: "Get", responses: { 204: { description: "", headers } } };
  assertStringIncludes(
    importOpenAPI({ openapi: "3.1.0", paths: { "/a": { get } } }),
    'Get: rest("GET /a Set-Cookie:sid,Set-Cookie:lang", [], [z.string().optional(), z.string().optional()]',
  );
  const parameters = ["Accept", "Authorization", "X Y"].map((name) => ({
    name,
    in: "header",
    schema: { type: "string" },
  }));
  const other = { openapi: "3.1.0", paths: { "/a": { get: { operationId: "Get", parameters } } } };
  assertStringIncludes(
    importOpenAPI(other),
    parameters.map(({ name }) => `  // Not in the tag: header "${name}".`).join("\n") +
      '\n  Get: rest("GET /a", [], []),',
  );
});

Deno.test("diff() tells headers that callers must send now", () => {
  const now = api("x", {
    ...shop.operations,
    List: rest("GET /items (X-Page:,X-Tenant:) *,X-Total:", [z.int(), z.string()], [z.array(Item), z.int()]),
  });
  assertEquals(diff(shop, now).map(({ breaking, text }) => [breaking, text]), [
    [true, 'GET /items: header "X-Tenant" is required now'],
  ]);
});

Deno.test("mock() and conform() send and read headers", async () => {
  const fetch = handler(null, mock(shop));
  const [items, total] = await link(shop, "http://localhost", { fetch }).List(1);
  assertEquals([Array.isArray(items), typeof total], [true, "number"]);
  const { failures, untried } = await conform(shop, "http://localhost", { client: { fetch }, runs: 3 });
  assertEquals([failures, untried], [[], []]);
});

Deno.test("clientModule() sends arguments that stand in headers", async () => {
  const list = api("x", {
    List: rest("GET /list?a=%v (X-At:,X-Page:)", [z.string(), time, z.int().optional()], [z.string()]),
  });
  const serve = handler(null, implement(list, { List: (a, at, page) => `${a} ${at.toISOString()} ${page}` }));
  const module = await import(`data:text/javascript,${encodeURIComponent(clientModule(list))}`);
  const client = module.connect("http://localhost", { fetch: serve });
  const at = new Date(Date.UTC(2030, 0, 1));
  assertEquals(await client.List("x", at, 7), "x 2030-01-01T00:00:00.000Z 7");
  assertEquals(await client.List("x", at), "x 2030-01-01T00:00:00.000Z undefined");
});
