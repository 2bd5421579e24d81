import { assertEquals } from "@std/assert";
import { z } from "zod";
import { api, chan, int64, rest } from "../../../lib/rest/mod.ts";
import { diff } from "../../../lib/rest/contract/diff.ts";
import { listMisfits } from "../../../lib/rest/contract/misfits.ts";
import { openapi } from "../../../lib/rest/surfaces.ts";

const base = {
  Get: rest("GET /users/{id=%v}", [z.string()], [z.object({ id: z.string(), role: z.enum(["a", "b"]) })]),
  Find: rest("GET /users?name=%v&limit=%v", [z.string(), z.int().optional()], [z.array(z.string())]),
  Put: rest("PUT /users/{id}", [z.object({ id: z.string(), name: z.string(), age: z.int().optional() })]),
};
const texts = (changed: Parameters<typeof api>[1]) => {
  const changes = diff(api("x", base), api("x", { ...base, ...changed }));
  return changes.map(({ breaking, text }) => `${breaking ? "breaks" : "keeps"} ${text}`);
};

Deno.test("diff() of an API and itself is empty, also through its documents and with other names of functions", () => {
  assertEquals(texts({}), []);
  assertEquals(diff(openapi(api("x", base)), openapi(api("x", base))), []);
  const { Get: Fetch, Find, Put } = base;
  assertEquals(diff(api("x", base), api("x", { Fetch, Find, Put })), []);
});

Deno.test("diff() tells operations that came and went", () => {
  const { Get, Find } = base;
  const Ping = rest("GET /ping");
  assertEquals(diff(api("x", base), api("x", { Get, Find, Ping })), [
    { breaking: true, operation: "PUT /users/{id}", text: "PUT /users/{id}: removed" },
    { breaking: false, operation: "GET /ping", text: "GET /ping: added" },
  ]);
});

Deno.test("diff() tells what callers must send now, and what they may", () => {
  const Strict = z.object({ id: z.string(), name: z.string(), age: z.int().max(9).optional(), mail: z.string() });
  assertEquals(texts({ Put: rest("PUT /users/{id}", [Strict]) }), [
    'breaks PUT /users/{id}: the body: "mail" is missing',
    'breaks PUT /users/{id}: the body: "age" has no maximum, not 9',
  ]);
  assertEquals(texts({ Find: rest("GET /users?name=%v&limit=%v", [z.int(), z.int()], [z.array(z.string())]) }), [
    'breaks GET /users: query "name": what callers send is string, not integer',
    'breaks GET /users: query "limit" is required now',
  ]);
  const Wide = z.union([z.string(), z.int()]);
  const wider = rest("GET /users?name=%v&limit=%v&all=%v", [Wide, z.number().optional(), z.boolean().optional()], [
    z.array(z.string()),
  ]);
  assertEquals(texts({ Find: wider }), ['keeps GET /users: query "all" is read now']);
});

Deno.test("diff() tells what results may be that they were not", () => {
  const get = (result: z.ZodType) => texts({ Get: rest("GET /users/{id=%v}", [z.string()], [result]) });
  assertEquals(get(z.object({ id: z.string(), role: z.enum(["a", "b", "c"]) })), [
    'breaks GET /users/{id}: the result of 200: "role" may be "c"',
  ]);
  assertEquals(get(z.object({ id: z.string().optional(), role: z.enum(["a"]), more: z.string() })), [
    'breaks GET /users/{id}: the result of 200: "id" may be left out',
  ]);
  assertEquals(get(z.object({ id: z.string().nullable(), role: z.enum(["a"]) })), [
    'breaks GET /users/{id}: the result of 200: "id" is string or null, not string',
  ]);
});

Deno.test("diff() tells a new status of success and another content type", () => {
  const found = texts({ Put: rest("PUT /users/{id}", [base.Put.args[0]], [], { status: 202 }) });
  assertEquals(found, [
    "breaks PUT /users/{id}: status 204 is not answered any more",
    "keeps PUT /users/{id}: status 202 is answered now",
  ]);
  const text = texts({ Find: rest("GET /users?name=%v&limit=%v", [z.string(), z.int().optional()], [chan(int64)]) });
  assertEquals(text.filter((one) => one.startsWith("breaks")), [
    "breaks GET /users: the result of 200 is not application/json any more",
  ]);
});

Deno.test("listMisfits() ends for types that hold themselves, and finds what changed in them", () => {
  const tree = (value: unknown) => ({
    Tree: {
      type: "object",
      properties: { value, kids: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
    },
  });
  const json = { $ref: "#/components/schemas/Tree" };
  const [words, numbers] = [tree({ type: "string" }), tree({ type: "number" })];
  assertEquals(listMisfits({ json, schemas: words }, { json, schemas: words }, false), []);
  assertEquals(listMisfits({ json, schemas: words }, { json, schemas: numbers }, false), [
    '"value" is string, not number',
  ]);
});
