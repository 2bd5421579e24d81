/** Declared errors in the contract: documents, imports, differences and trials. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { api, failureOf, handler, implement, rest } from "../../../lib/rest/mod.ts";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { diff } from "../../../lib/rest/contract/diff.ts";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { openapi } from "../../../lib/rest/surfaces.ts";

const Conflict = z.object({ owner: z.string() }).describe("The lock is taken.");
const locks = (errors: Record<string, z.ZodType> = { Conflict, 422: z.enum(["short", "long"]) }) =>
  api("x", { Take: rest("POST /locks/{id=%v} !404 !409(Conflict)" as string, [z.string()], [z.string()], { errors }) });

Deno.test("openapi() tells declared errors by status, with the schemas of their bodies", async () => {
  const document = openapi(locks());
  const { responses } = document.paths["/locks/{id}"].post;
  assertEquals(responses["409"], {
    description: "The lock is taken.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Conflict" } } },
  });
  assertEquals(responses["422"].content?.["application/json"].schema?.enum, ["short", "long"]);
  assertEquals(responses["404"], { $ref: "#/components/responses/Error404" });
  assertEquals(document.components.responses.Error404.description, "There is no such thing.");
  assertEquals(Object.keys(document.components.responses.Error404.content ?? {}), ["application/problem+json"]);
  assertEquals((await new Validator().validate(JSON.parse(JSON.stringify(document)))).errors, undefined);
});

Deno.test("importOpenAPI() reads back the errors that openapi() tells, and those of other documents", () => {
  const text = importOpenAPI(openapi(locks()));
  assertStringIncludes(text, `rest("POST /locks/{id=%v} !404", [z.string()], [z.string()], {`);
  assertStringIncludes(text, `errors: { 409: Conflict, 422: z.enum(["short","long"]) }`);
  const json = { content: { "application/json": { schema: { type: "string" } } } };
  const other = {
    openapi: "3.0.3",
    info: { title: "x", version: "1" },
    paths: {
      "/a": {
        get: {
          operationId: "Get",
          responses: { 200: json, 404: { description: "None" }, 418: json, 500: { description: "No" }, default: json },
        },
      },
    },
  };
  assertStringIncludes(
    importOpenAPI(other),
    `Get: rest("GET(application/json) /a !404", [], [z.string()], { errors: { 418: z.string() } }),`,
  );
});

Deno.test("diff() tells what a caller cannot read any more of a declared error", () => {
  const texts = (errors: Record<string, z.ZodType>) => diff(locks(), locks(errors)).map(({ text }) => text);
  const other = z.enum(["short", "long"]);
  assertEquals(texts({ Conflict, 422: other }), []);
  assertEquals(texts({ Conflict: z.object({ owner: z.string(), since: z.int() }), 422: other }), []);
  assertEquals(texts({ Conflict: z.object({ since: z.int() }), 422: other }), [
    'POST /locks/{id}: the error 409: "owner" is missing',
  ]);
});

Deno.test("conform() lets declared errors pass, and finds one whose body is another", async () => {
  const shop = api("x", {
    Take: rest("GET /take !451", [], [z.string()], { errors: { 418: z.object({ left: z.int() }) } }),
  });
  const failures = async (
    Take: () => ReturnType<typeof failureOf<451>> | ReturnType<typeof failureOf<418, { left: number }>>,
  ) => {
    const fetch = handler(null, implement(shop, { Take }), { onError() {} });
    return (await conform(shop, "http://localhost", { client: { fetch }, runs: 1 })).failures.map(({ got }) => got);
  };
  assertEquals(await failures(() => failureOf(451, "Take: no")), []);
  assertEquals(await failures(() => failureOf(418, "Take: no", { left: 7 })), []);
  const fetch = () => Promise.resolve(Response.json({ left: "x" }, { status: 418 }));
  const { failures: [first] } = await conform(shop, "http://localhost", { client: { fetch }, runs: 1 });
  assertStringIncludes(first.got, 'Read the error 418 of "Take": at "left"');
});
