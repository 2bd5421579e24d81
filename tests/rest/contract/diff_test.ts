import { assertEquals } from "@std/assert";
import { z } from "zod";
import { api, type APIOptions, chan, type Definition, int64, rest } from "../../../lib/rest/mod.ts";
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

/** The changes from one definition to another, and whether they are the same where both are known by their documents alone. */
const changesOf = (before: Definition, after: Definition) => {
  const texts = diff(before, after).map(({ breaking, text }) => `${breaking ? "breaks" : "keeps"} ${text}`);
  // JSON as a file has it: without what is undefined, and without infinity.
  const [old, now] = [before, after].map((one) => JSON.parse(JSON.stringify(openapi(one))));
  assertEquals(diff(old, now).map(({ breaking, text }) => `${breaking ? "breaks" : "keeps"} ${text}`), texts);
  return texts;
};

Deno.test("diff() tells headers and cookies of results that are gone or are others", () => {
  const get = (tag: string, ...results: z.ZodType[]) =>
    api("x", { Get: rest(`GET /a ${tag}` as string, [], [z.string(), ...results]) });
  const before = get("*,ETag:,X-Left:,Set-Cookie:sid,Set-Cookie:lang", z.string(), z.int(), z.string(), z.string());
  assertEquals(changesOf(before, get("*,etag:,Set-Cookie:lang,Set-Cookie:tz", z.string(), z.string(), z.string())), [
    'breaks GET /a: the header "X-Left" of 200 is not sent any more',
    'breaks GET /a: the cookie "sid" of 200 is not set any more',
    'keeps GET /a: the cookie "tz" of 200 is set now',
  ]);
  const after = get("*,ETag:,X-Left:,X-New:", z.string().optional(), z.string(), z.string());
  assertEquals(changesOf(before, after), [
    'breaks GET /a: the header "ETag" of 200 may be left out',
    'breaks GET /a: the header "X-Left" of 200 is string, not integer',
    'keeps GET /a: the header "X-New" of 200 is sent now',
    'breaks GET /a: the cookie "sid" of 200 is not set any more',
    'breaks GET /a: the cookie "lang" of 200 is not set any more',
  ]);
  // Documents of other programs do not name their cookies.
  const foreign = openapi(before);
  delete foreign.paths["/a"].get.responses["200"].headers?.["Set-Cookie"]["x-gantry-cookies"];
  assertEquals(diff(foreign, before), []);
  assertEquals(diff(foreign, get("*,ETag:,X-Left:", z.string(), z.int())).map(({ text }) => text), [
    "GET /a: cookies of 200 are not set any more",
  ]);
});

Deno.test("diff() compares the values of records, each side in its direction", () => {
  const takes = (schema: z.ZodType) => api("x", { Put: rest("PUT /a", [schema]) });
  const gives = (schema: z.ZodType) => api("x", { Get: rest("GET /a", [], [schema]) });
  const record = (value: z.ZodType) => z.record(z.string(), value);
  assertEquals(changesOf(takes(record(z.string())), takes(record(z.int()))), [
    'breaks PUT /a: the body: "*" is string, not integer',
  ]);
  assertEquals(changesOf(gives(record(z.string())), gives(record(z.int()))), [
    'breaks GET /a: the result of 200: "*" is integer, not string',
  ]);
  const [small, large] = [z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })];
  assertEquals(changesOf(takes(record(small)), takes(record(large))), [
    'breaks PUT /a: the body: "*.b" is missing',
  ]);
  assertEquals(changesOf(takes(record(large)), takes(record(small))), []);
  assertEquals(changesOf(gives(record(large)), gives(record(small))), [
    'breaks GET /a: the result of 200: "*.b" is missing',
  ]);
  assertEquals(changesOf(gives(record(small)), gives(record(large))), []);
  const nested = (value: z.ZodType) => z.object({ labels: record(value) });
  assertEquals(changesOf(gives(nested(z.string())), gives(nested(z.string().nullable()))), [
    'breaks GET /a: the result of 200: "labels.*" is string or null, not string',
  ]);
  // A record that becomes a struct, and the other way round.
  assertEquals(changesOf(takes(record(z.string())), takes(z.object({ a: z.int().optional() }))), [
    'breaks PUT /a: the body: "a" is string, not integer',
  ]);
  assertEquals(changesOf(gives(record(z.int())), gives(small)), [
    'breaks GET /a: the result of 200: "a" is string, not integer',
  ]);
  assertEquals(changesOf(takes(record(z.unknown())), takes(record(z.string()))), [
    'breaks PUT /a: the body: "*" is anything, not string',
  ]);
  assertEquals(changesOf(takes(record(z.string())), takes(record(z.unknown()))), []);
  assertEquals(changesOf(gives(record(z.string())), gives(record(z.enum(["a", "b"])))), []);
  const open = (fields: z.ZodRawShape) => takes(z.looseObject(fields));
  assertEquals(changesOf(open({ a: z.string() }), open({ a: z.string(), b: z.int().optional() })), []);
});

Deno.test("diff() tells an argument that refuses fields now, and values of lists that are others", () => {
  const takes = (...schemas: z.ZodType[]) => api("x", { Put: rest("PUT /a", schemas) });
  const fields = { a: z.string() };
  assertEquals(changesOf(takes(z.object(fields)), takes(z.strictObject(fields))), [
    "breaks PUT /a: the body: may have fields that are not known",
  ]);
  assertEquals(changesOf(takes(z.strictObject(fields)), takes(z.strictObject(fields))), []);
  assertEquals(changesOf(takes(z.strictObject(fields)), takes(z.object(fields))), []);
  assertEquals(changesOf(takes(z.object({ in: z.object(fields) })), takes(z.object({ in: z.strictObject(fields) }))), [
    'breaks PUT /a: the body: "in" may have fields that are not known',
  ]);
  const gives = (schema: z.ZodType) => api("x", { Get: rest("GET /a", [], [schema]) });
  assertEquals(changesOf(gives(z.object(fields)), gives(z.strictObject(fields))), []);
  assertEquals(changesOf(takes(z.string(), z.string()), takes(z.string(), z.int())), [
    'breaks PUT /a: the body: "[1]" is string, not integer',
  ]);
});

Deno.test("diff() tells another path of the base, and a value of a path that holds no slashes any more", () => {
  const at = (base: string, tag = "GET /files/{path*=%v}") => api(base, { Get: rest(tag as string, [z.string()]) });
  assertEquals(changesOf(at("x.example.com/v1"), at("x.example.com/v2")), [
    'breaks API: no server has the path "/v1" any more, but "/v2"',
  ]);
  assertEquals(changesOf(at("x.example.com/v1"), at("https://y.example.com/v1/")), []);
  assertEquals(changesOf(at("x.example.com"), at("x.example.com/v2")), [
    'breaks API: no server has the path "/" any more, but "/v2"',
  ]);
  const servers = ["https://{host}/v1", "https://x.example.com/v2"];
  assertEquals(diff(at("x/v1"), openapi(at("x/v1"), { servers })), []);
  assertEquals(diff(at("x/v1"), at("x/v2"))[0].operation, "API");
  assertEquals(changesOf(at("x"), at("x", "GET /files/{path=%v}")), [
    "breaks GET /files/{path}: path parameter 1 may not hold slashes any more",
  ]);
  assertEquals(changesOf(at("x", "GET /files/{path=%v}"), at("x")), []);
});

Deno.test("diff() tells spellings that an API does not take any more, and smaller bodies", () => {
  const put = rest("PUT /engine/a", [z.string()]);
  const of = (options: APIOptions, operation = put) => api("x", { Put: operation }, options);
  const options: APIOptions = {
    versioned: true,
    aliases: { engine: ["libpod", "docker"] },
    query: { ignoreCase: true, emptyIsAbsent: true },
  };
  assertEquals(changesOf(of(options), of({})), [
    "breaks API: a path may not begin with a version any more",
    'breaks API: "/libpod" does not stand for "/engine" any more',
    'breaks API: "/docker" does not stand for "/engine" any more',
    "breaks API: a query's keys are not taken in any case any more",
    "breaks API: an empty value of a query does not count as absent any more",
  ]);
  assertEquals(changesOf(of(options), of({ ...options, aliases: { engine: ["libpod"], constructor: ["a"] } })), [
    'breaks API: "/docker" does not stand for "/engine" any more',
  ]);
  assertEquals(changesOf(of({}), of(options)), []);
  assertEquals(changesOf(of({ limit: 100 }), of({ limit: 10 })), [
    "breaks PUT /engine/a: the largest body has 10 bytes, not 100",
  ]);
  assertEquals(changesOf(of({}), of({}, rest("PUT /engine/a", [z.string()], [], { limit: 5 }))), [
    "breaks PUT /engine/a: the largest body has 5 bytes, not 4194304",
  ]);
  assertEquals(changesOf(of({ limit: Infinity }), of({ limit: 10 })), [
    "breaks PUT /engine/a: the largest body has 10 bytes, not any number of them",
  ]);
  assertEquals(changesOf(of({ limit: 10 }), of({ limit: Infinity })), []);
  // A document that an older version wrote tells no limit.
  const older = openapi(of({ limit: 100 }));
  delete older.paths["/engine/a"].put["x-gantry-limit"];
  assertEquals(diff(older, of({ limit: 10 })), []);
});

Deno.test("defect: diff() tells names of fields that are not let in any more, and versions", () => {
  const misfits = (from: unknown, to: unknown, open = false) =>
    listMisfits({ json: from, schemas: {} }, { json: to, schemas: {} }, open);
  const map = (keys: unknown, more: object = {}) => ({
    type: "object",
    propertyNames: keys,
    additionalProperties: { type: "string" },
    ...more,
  });
  const some = (...names: string[]) => ({ type: "string", enum: names });
  assertEquals(misfits(map(some("a", "b")), map(some("a", "b", "c"))), []);
  assertEquals(misfits(map(some("a", "b")), map(some("a"))), ['"* (the name)" may be "b"']);
  assertEquals(misfits(map({ type: "string" }), map({ pattern: "^x-" }), true), [
    '"* (the name)" need not have pattern "^x-"',
  ]);
  assertEquals(misfits(map({ pattern: "^x-" }), map(undefined)), []);
  const struct = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
  assertEquals(misfits(struct, { type: "object", propertyNames: some("b") }), ['"a (the name)" may be "a"']);
  const patterned = (type: string, pattern = "^n") => ({
    type: "object",
    patternProperties: { [pattern]: { type } },
    additionalProperties: false,
  });
  const n = { type: "object", properties: { n: { type: "string" } }, additionalProperties: false };
  assertEquals(misfits(patterned("integer"), patterned("number")), []);
  assertEquals(misfits(patterned("number"), patterned("integer")), ['"/^n/" is number, not integer']);
  assertEquals(misfits(patterned("number", "^m"), patterned("number")), ['"/^m/" is not known']);
  assertEquals(misfits({ ...n, properties: { n: { type: "integer" } } }, patterned("number")), []);
  assertEquals(misfits(n, { ...patterned("integer"), additionalProperties: true }), ['"n" is string, not integer']);
  // A pattern that no engine reads says nothing of names.
  assertEquals(misfits(n, { type: "object", patternProperties: { "(": { type: "integer" } } }), []);
  const Kinds = z.partialRecord(z.enum(["a", "b"]), z.number());
  const Fewer = z.partialRecord(z.enum(["a"]), z.number());
  const put = (schema: z.ZodType) => api("x", { Put: rest("PUT /kinds", [schema]) });
  assertEquals(diff(put(Kinds), put(Fewer)).map(({ breaking, text }) => [breaking, text]), [
    [true, 'PUT /kinds: the body: "* (the name)" may be "b"'],
  ]);
  const versions = (before?: string, after?: string) => {
    const of = (versions?: string) => api("x", { Get: rest("GET /x", [], [], { versions }) }, { versioned: true });
    return diff(of(before), of(after)).map(({ breaking, text }) => `${breaking} ${text}`);
  };
  assertEquals(versions("<4", "<4"), []);
  assertEquals(versions("<4", "<3"), ['true GET /x: of versions it takes "<3", not "<4": 3 is lost']);
  assertEquals(versions("<4", "<=4.2"), ['false GET /x: of versions it takes "<=4.2", not "<4"']);
  assertEquals(versions(">=3 <5", ">=3 <4"), ['true GET /x: of versions it takes ">=3 <4", not ">=3 <5": 4 is lost']);
  assertEquals(versions(undefined, ">=2")[0].startsWith("true "), true);
  assertEquals(versions(">=2", undefined), ['false GET /x: of versions it takes all, not ">=2"']);
});
