import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import {
  api,
  bearer,
  type ErrorCodec,
  handler,
  handlers,
  HTTPError,
  implement,
  type Middleware,
  middlewareStack,
  rest,
} from "../../../lib/rest/mod.ts";
import { request } from "../../fixtures/rest/serve.ts";

const greeter = api("x", {
  Greet: rest("GET /greet/{name=%v}", [z.string()], [z.string()]),
  Fail: rest("GET /fail"),
});

const order: string[] = [];
const named = (name: string): Middleware => async (_call, next) => {
  order.push(`${name} begins`);
  const response = await next();
  order.push(`${name} ends with ${response.status}`);
  return response;
};

Deno.test("middlewareStack() runs middleware around all requests, the first outermost, and leaves a stack as it is", async () => {
  const one = middlewareStack().use(named("one"));
  const two = one.use(named("two"));
  const functions = implement(greeter, {
    Greet: (name) => name,
    Fail() {
      throw new HTTPError(409, "no");
    },
  });
  const serve = handler(null, functions, { use: two });
  for (
    const [path, status] of [["/greet/ann", 200], ["/fail", 409], ["/nowhere", 404], ["/greet/a%zz", 400]] as const
  ) {
    order.length = 0;
    assertEquals((await serve(request("GET", path))).status, status);
    assertEquals(order, ["one begins", "two begins", `two ends with ${status}`, `one ends with ${status}`]);
  }
  order.length = 0;
  await handler(null, functions, { use: one })(request("OPTIONS", "/fail"));
  assertEquals(order, ["one begins", "one ends with 204"]);
});

Deno.test("middlewareStack() hands what middleware add to functions and to the middleware behind, each request its own", async () => {
  const users = middlewareStack()
    .use<{ user: string }>(({ request }, next) => next({ user: request.headers.get("x-user") ?? "nobody" }))
    .use<{ admin: boolean }>(async ({ state }, next) => {
      await new Promise((resolve) => setTimeout(resolve, state.user === "ann" ? 5 : 0));
      return next({ admin: state.user === "root" });
    });
  const functions = implement(
    greeter,
    {
      Greet: (name, { state }) => `${name} ${state.user} ${state.admin}`,
      Fail() {},
    },
    null,
    users,
  );
  const serve = handler(null, functions, { use: users });
  const answers = ["ann", "root", "bob"].map(async (user) =>
    await (await serve(request("GET", "/greet/hello", undefined, { "x-user": user }))).text()
  );
  assertEquals(await Promise.all(answers), ["hello ann false", "hello root true", "hello bob false"]);
  const patterns = [...handlers(null, functions, ":%s", "*", { use: users })];
  const [, greet] = patterns.find(([pattern]) => pattern.includes("/greet/"))!;
  assertEquals(
    await (await greet(request("GET", "/greet/hi", undefined, { "x-user": "root" }))).text(),
    "hi root true",
  );
});

Deno.test("a middleware answers by itself, or by an error in the words of the API", async () => {
  const codec: ErrorCodec = {
    type: "application/json",
    encode: (error, { status }) => ({
      status,
      body: { message: (error as Error).message },
      headers: (error as HTTPError).headers,
    }),
    decode: (status) => new HTTPError(status, "x"),
  };
  const told: unknown[] = [];
  const make = (middleware: Middleware) => {
    const made = api("x", { Ping: rest("GET /ping") }, { errors: codec, headers: { server: "x" } });
    const options = {
      use: middlewareStack().use(named("outer")).use(middleware),
      onError: (error: unknown) => void told.push(error),
    };
    return handler(null, implement(made, { Ping() {} }), options);
  };
  order.length = 0;
  const refused = await make(() => {
    throw new HTTPError(418, "tea", { headers: { "x-pot": "1" } });
  })(request("GET", "/ping"));
  assertEquals([refused.status, refused.headers.get("x-pot"), refused.headers.get("server")], [418, "1", "x"]);
  assertEquals(await refused.json(), { message: "tea" });
  assertEquals(order, ["outer begins", "outer ends with 418"]);
  assertEquals(told.length, 1);
  assertEquals((await make(() => Promise.reject(new Error("broken")))(request("GET", "/ping"))).status, 500);
  const own = await make(() => new Response("closed", { status: 503 }))(request("GET", "/ping"));
  assertEquals([own.status, await own.text()], [503, "closed"]);
});

Deno.test("defect: a middleware that returns nothing is named by the error that is told of it", async () => {
  const told: unknown[] = [];
  const forgetful = (async (_call: unknown, next: () => Promise<Response>) => {
    await next();
  }) as unknown as Middleware;
  const functions = implement(greeter, { Greet: (name) => name, Fail() {} });
  for (const middleware of [forgetful, ((...given) => forgetful(...given)) as Middleware]) {
    const use = middlewareStack().use(named("one")).use(middleware);
    const serve = handler(null, functions, { use, onError: (error) => void told.push(String(error)) });
    assertEquals((await serve(request("GET", "/greet/a"))).status, 500);
  }
  const told2 = "it returned no response: return that of next()";
  assertEquals(told, [`TypeError: Run middleware 2 "forgetful": ${told2}`, `TypeError: Run middleware 2: ${told2}`]);
});

Deno.test("a context has an empty state without middleware", async () => {
  const functions = implement(greeter, { Greet: (_name, { state }) => JSON.stringify(state), Fail() {} });
  assertStringIncludes(await (await handler(null, functions)(request("GET", "/greet/a"))).text(), "{}");
});

Deno.test("middleware is typed: what it needs has been added, and what functions need is used", () => {
  const withUser: Middleware<object, { user: string }> = (_call, next) => next({ user: "ann" });
  const withRole: Middleware<{ user: string }, { role: string }> = ({ state }, next) => next({ role: state.user });
  const whole = middlewareStack().use(withUser).use(withRole);
  // @ts-expect-error nobody has added the user that it needs
  middlewareStack().use(withRole).use(withUser);
  // @ts-expect-error it adds a user, and has none here
  middlewareStack().use<{ user: string }>((_call, next) => next());
  const functions = implement(greeter, { Greet: (_n, { state }) => state.role, Fail() {} }, bearer("t"), whole);
  handler(bearer("t"), functions, { use: whole });
  // @ts-expect-error the functions need what the middleware adds
  handler(bearer("t"), functions);
  // @ts-expect-error of which this stack has a part
  handler(bearer("t"), functions, { use: middlewareStack().use(withUser) });
  // @ts-expect-error there is no such addition
  implement(greeter, { Greet: (_n, { state }) => state.other, Fail() {} }, null, whole);
});
