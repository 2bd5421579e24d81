/** Errors that a definition declares: typed on both sides, checked and cut, by status. */
import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import {
  api,
  type Authenticator,
  type ClientFunction,
  DefinitionError,
  type ErrorCodec,
  failureOf,
  handler,
  HTTPError,
  type HTTPFailure,
  implement,
  int64,
  link,
  type Outcome,
  outcomeOf,
  rest,
} from "../../../lib/rest/mod.ts";
import { linkWith } from "../../../lib/rest/client.ts";
import { request, serve as serveOperations } from "../../fixtures/rest/serve.ts";

const User = z.object({ id: z.string(), name: z.string() });
const Conflict = z.object({ owner: z.string(), until: z.date(), version: z.bigint() });

const users = api("users.example.com", {
  Get: rest("GET /users/{id=%v} !404", [z.string()], [User]),
  Create: rest("POST /users user,count !409(Conflict) !422", [User], [User, int64], {
    errors: { Conflict, 422: z.enum(["short", "long"]) },
  }),
  Clear: rest("DELETE /users !409", [], [], { errors: { 409: z.object({ left: z.int() }) } }),
});
const UNTIL = new Date(Date.UTC(2030, 0, 1));
const conflict = { owner: "ann", until: UNTIL, version: 2n ** 60n + 1n, passwordHash: "secret" };

const functions = implement(users, {
  Get(id) {
    if (id === "gone") throw failureOf(404, "Find the user: gone");
    return id === "1" ? { id, name: "Ann" } : failureOf(404, "Find the user: there is none");
  },
  async Create(user) {
    await Promise.resolve();
    if (user.name === "ann") return failureOf(409, "Create the user: the name is taken", conflict);
    if (user.name === "") throw failureOf(422, "Create the user: no name", "short", { headers: { "x-least": "1" } });
    return [user, 7n];
  },
  Clear() {
    return failureOf(409, "Clear: users are left", { left: "many" as never });
  },
});
const serve = handler(null, functions, { onError() {} });
const client = link(users, "http://localhost", { fetch: serve });

Deno.test("failureOf() goes out by its status, its body cut to the schema, thrown or returned", async () => {
  const create = (name: string) =>
    serve(request("POST", "/users", JSON.stringify({ id: "1", name }), { "content-type": "application/json" }));
  const taken = await create("ann");
  assertEquals([taken.status, taken.headers.get("content-type")], [409, "application/json"]);
  assertEquals(await taken.text(), '{"owner":"ann","until":"2030-01-01T00:00:00.000Z","version":1152921504606846977}');
  const short = await create("");
  assertEquals([short.status, await short.text(), short.headers.get("x-least")], [422, '"short"', "1"]);
  for (const [id, detail] of [["gone", "Find the user: gone"], ["2", "Find the user: there is none"]]) {
    const missing = await serve(request("GET", `/users/${id}`));
    assertEquals(missing.headers.get("content-type"), "application/problem+json");
    assertEquals(await missing.json(), { status: 404, detail });
  }
});

Deno.test("handler() answers 500 to a declared error whose body does not fit, and tells onError of both", async () => {
  const told: unknown[] = [];
  const telling = handler(null, functions, { onError: (error) => void told.push(error) });
  const response = await telling(request("DELETE", "/users"));
  assertEquals(response.status, 500);
  assertEquals((await response.text()).includes("many"), false);
  assertInstanceOf(told[0], TypeError);
  assert(told[0].message.startsWith('Answer "Clear !409": the result does not fit its schema'), told[0].message);
});

Deno.test("outcomeOf() tells the value, a declared error by its status, or another error", async () => {
  assertEquals(await outcomeOf(client.Get("1")), { ok: true, value: { id: "1", name: "Ann" } });
  const missing = await outcomeOf(client.Get("2"));
  assertEquals([missing.ok, missing.status, missing.error?.message], [false, 404, "Find the user: there is none"]);
  const taken = await outcomeOf(client.Create({ id: "1", name: "ann" }));
  assert(taken.status === 409);
  assertInstanceOf(taken.error, HTTPError);
  assertEquals(taken.error.body, { owner: "ann", until: UNTIL, version: 2n ** 60n + 1n });
  const short = await outcomeOf(client.Create({ id: "1", name: "" }));
  assert(short.status === 422);
  assertEquals([short.error.body, short.error.responseHeaders?.get("x-least")], ["short", "1"]);
  const other = await outcomeOf(client.Clear());
  assert(!other.ok && other.status === undefined && other.error instanceof HTTPError);
  assertEquals(other.error.status, 500);
  const reset = link(users, "http://localhost", { fetch: () => Promise.reject(new TypeError("reset")) });
  const lost = await outcomeOf(reset.Get("1"));
  assertEquals([lost.ok, lost.status, lost.error?.message], [false, undefined, "reset"]);
});

Deno.test("refusals of the server itself are not taken for declared errors of their status", async () => {
  const taken = z.object({ owner: z.string() });
  const doors = api("x", {
    Open: rest("POST /open !400 !401(Taken) !409(Taken)", [z.int()], [z.string()], {
      errors: { 400: taken, Taken: taken },
    }),
  });
  const door: Authenticator = { authenticate: ({ headers }) => headers.get("authorization") };
  const serve = handler(
    door,
    implement(doors, {
      Open(n) {
        if (n === 1) throw new HTTPError(409, "Open: it is locked");
        return n === 2 ? failureOf(409, "Open: it is taken", { owner: "bob" }) : "open";
      },
    }, door),
  );
  const open = async (authorization: string | undefined, body: string) => {
    const fetch = (request: Request) => {
      const headers = { "content-type": "application/json", ...authorization && { authorization } };
      return serve(new Request(request.url, { method: "POST", headers, body }));
    };
    const { ok, status, error } = await outcomeOf(link(doors, "http://localhost", { fetch }).Open(0));
    return [ok, status, error instanceof HTTPError && error.status];
  };
  assertEquals(await open(undefined, "0"), [false, undefined, 401]);
  assertEquals(await open("x", "no"), [false, undefined, 400]);
  assertEquals(await open("x", "1"), [false, undefined, 409], "thrown without a body");
  assertEquals(await open("x", "2"), [false, 409, 409]);
  assertEquals(await open("x", "3"), [true, undefined, false]);
});

Deno.test("link() throws the same errors where nobody asks for the outcome", async () => {
  const error = await assertRejects(() => client.Create({ id: "1", name: "ann" }), HTTPError);
  assertEquals(error.status, 409);
  assertEquals((error.body as { owner: string }).owner, "ann");
});

Deno.test("link() says what is wrong with a declared error that does not fit", async () => {
  const answer = (text: string) =>
    link(users, "http://localhost", { fetch: () => Promise.resolve(new Response(text, { status: 409 })) });
  for (
    const [text, part] of [["<html>", "it is not JSON"], ['{"left":"many"}', 'at "left"'], ["", "expected object"]]
  ) {
    const outcome = await outcomeOf(answer(text).Clear());
    assert(!outcome.ok && outcome.status === undefined && outcome.error instanceof HTTPError);
    assertEquals(outcome.error.status, 502);
    assert(outcome.error.message.startsWith('Read the error 409 of "Clear": '), outcome.error.message);
    assert(outcome.error.message.includes(part), outcome.error.message);
  }
});

Deno.test("declared errors have their schema whatever the API's error codec makes of others", async () => {
  const errors: ErrorCodec = {
    type: "application/json",
    encode: (error, { status }) => ({ status, body: { message: String(error) } }),
    decode: (_status, body) => new RangeError((body as { message: string }).message),
  };
  const shop = api("x", {
    Take: rest("POST /take !404 !409", [], [], { errors: { 409: z.object({ left: z.int() }) } }),
    Find: rest("GET /find !404"),
  }, { errors });
  const run = handler(
    null,
    implement(shop, {
      Take: () => failureOf(409, "Take: none left", { left: 0 }),
      Find: () => failureOf(404, "Find: nothing"),
    }),
  );
  assertEquals(await (await run(request("POST", "/take"))).json(), { left: 0 });
  const made = link(shop, "http://localhost", { fetch: run });
  const taken = await outcomeOf(made.Take());
  assert(taken.status === 409 && taken.error.body.left === 0);
  const found = await outcomeOf(made.Find());
  assert(found.status === 404);
  assertEquals([found.error.message, found.error.body], ["HTTPError: Find: nothing", {
    message: "HTTPError: Find: nothing",
  }]);
});

Deno.test("a redacting authenticator has the last word on declared errors", async () => {
  const auth = { authenticate: () => "ann", redact: () => new HTTPError(403, "Refuse: no details") };
  const run = handler(auth, functions);
  assertEquals((await run(request("DELETE", "/users"))).status, 403);
});

Deno.test("a proxy passes declared errors on as they came", async () => {
  const proxy = handler(null, client);
  const response = await proxy(
    request("POST", "/users", '{"id":"1","name":"ann"}', { "content-type": "application/json" }),
  );
  assertEquals([response.status, (await response.json()).owner], [409, "ann"]);
});

Deno.test("the client alone knows no declared errors until it has the part for them", async () => {
  const outcome = await outcomeOf(linkWith({}, users, "http://localhost", { fetch: serve }).Get("2"));
  assert(!outcome.ok && outcome.status === undefined);
  assertEquals((outcome.error as HTTPError).status, 404);
});

Deno.test("an operation without declared errors is called as it is", async () => {
  const run = serveOperations({ Fail: rest("GET /fail") }, {
    Fail() {
      throw new HTTPError(409, "no", { body: { any: "body" } });
    },
  });
  assertEquals(await (await run(request("GET", "/fail"))).json(), { any: "body" });
});

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function same<A, B>(_: Same<A, B>): void {}

Deno.test("declared errors are typed: as results of functions, and by status in outcomes", () => {
  type Of<K extends keyof typeof users.operations> = ClientFunction<(typeof users.operations)[K]>;
  const narrowed = (outcome: Outcome<string, HTTPFailure<404> | HTTPFailure<409, { left: number }>>) => {
    if (outcome.ok) same<typeof outcome.value, string>(true);
    else if (outcome.status === 409) same<typeof outcome.error.body, { left: number }>(true);
    else if (outcome.status === undefined) same<typeof outcome.error, Error>(true);
  };
  narrowed({ ok: true, value: "" });
  const never = async (Create: Of<"Create">, Get: Of<"Get">) => {
    const created = await outcomeOf(Create({ id: "1", name: "x" }));
    if (created.status === 409) same<typeof created.error.body.version, bigint>(true);
    if (created.status === 422) same<typeof created.error.body, "short" | "long">(true);
    // @ts-expect-error 404 is not declared
    if (created.status === 404) return;
    const got = await outcomeOf(Get("1"));
    // @ts-expect-error 409 is not declared
    if (got.status === 409) return;
    if (got.ok) same<typeof got.value, { id: string; name: string }>(true);
    same<Awaited<ReturnType<Of<"Create">>>, [{ id: string; name: string }, bigint]>(true);
  };
  void never;
  const Clear = () => failureOf(409, "Clear: users are left", { left: 1 });
  const Get = (id: string) => ({ id, name: "" });
  const Create = (user: { id: string; name: string }): [typeof user, bigint] => [user, 1n];
  implement(users, { Get, Create, Clear });
  // @ts-expect-error 410 is not declared
  implement(users, { Get, Create, Clear: () => failureOf(410, "Clear: gone") });
  // @ts-expect-error its body is another
  implement(users, { Get, Create, Clear: () => failureOf(409, "Clear: users are left", { right: 1 }) });
  // @ts-expect-error its body is left out
  implement(users, { Get, Create, Clear: () => failureOf(409, "Clear: users are left") });
  // @ts-expect-error there is no such word
  implement(users, { Get, Clear, Create: () => failureOf(422, "Create", "wide") });
});

Deno.test("defined errors are refused that do not fit their tag", () => {
  const problems = (make: () => ReturnType<typeof rest>) =>
    assertThrows(() => api("x", { F: make() }), DefinitionError).problems[0];
  const body = z.object({});
  for (
    const [tag, errors, part] of [
      ["GET / !409(Conflict)", {}, 'the option "errors" has no schema "Conflict": column 7'],
      ["GET / !409", { Conflict: body }, 'the error "Conflict" is neither a status from 400 to 599 nor named'],
      ["GET / !409(C)", { C: body, 409: body }, 'the error 409 has two schemas: "C" and "409"'],
      ["GET /", { 200: body }, 'the error "200" is neither a status'],
      ["GET / !409 !409", {}, "the error 409 stands twice: column 12"],
      ["GET / !302", {}, "302 is not the status of an error"],
      ["GET / !conflict", {}, '"!conflict" is not an error, as in !404'],
      ["GET / !404 user", {}, '"user" is not an error'],
      ["POST / (a,b) c !404!", {}, '"!404!" is not an error'],
      ["GET /", { 404: 7 as never }, 'error "404" is no Standard Schema'],
    ] as const
  ) {
    const problem = problems(() => rest(tag as string, [], [], { errors: errors as Record<string, typeof body> }));
    assert(problem.includes(part), `${tag}: ${problem}`);
  }
  // @ts-expect-error the option names no schema
  assertThrows(() => api("x", { F: rest("GET / !409(Conflict)") }), DefinitionError);
});
