/** The middleware that is there: logging, rate limit, CSRF; and CORS, which is the authenticator's. */
import { assertEquals, assertThrows } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import {
  type AccessEntry,
  accessLog,
  api,
  bearer,
  guardCSRF,
  type Handler,
  handler,
  HTTPError,
  implement,
  middlewareStack,
  rateLimit,
  rest,
  withCORS,
} from "../../../lib/rest/mod.ts";
import { request } from "../../fixtures/rest/serve.ts";

const notes = api("x", {
  List: rest("GET /notes", [], [z.array(z.string())]),
  Add: rest("POST /notes", [z.object({ text: z.string() })]),
  Clear: rest("POST /clear"),
});
const functions = implement(notes, {
  List: () => ["milk"],
  Add() {},
  Clear() {
    throw new HTTPError(409, "Clear: not now");
  },
});

Deno.test("accessLog() tells of each request, its status and time, and nothing of its query", async () => {
  const entries: AccessEntry[] = [];
  const use = middlewareStack().use(accessLog((entry) => void entries.push(entry))).use(
    rateLimit({ limit: 3, window: 60_000 }),
  );
  const serve = handler(null, functions, { use });
  const began = performance.now();
  for (const path of ["/notes?token=secret", "/clear", "/none", "/notes"]) {
    await serve(request(path === "/clear" ? "POST" : "GET", path), { peer: "192.0.2.7" });
  }
  assertEquals(entries.map(({ method, path, status, peer }) => `${peer} ${method} ${path} ${status}`), [
    "192.0.2.7 GET /notes 200",
    "192.0.2.7 POST /clear 409",
    "192.0.2.7 GET /none 404",
    "192.0.2.7 GET /notes 429",
  ]);
  const taken = entries.reduce((sum, { duration }) => sum + duration, 0);
  assertEquals([entries.every(({ duration }) => duration > 0), taken <= performance.now() - began], [true, true]);
});

/** The status and Retry-After of a request. */
async function limited(serve: Handler, peer: string): Promise<string> {
  const { status, headers } = await serve(request("GET", "/notes"), { peer });
  return `${status}${headers.has("retry-after") ? ` in ${headers.get("retry-after")}` : ""}`;
}

Deno.test("rateLimit() grants each caller so many at once, and again as time passes", async () => {
  let time = 0;
  const use = middlewareStack().use(rateLimit({ limit: 3, window: 30_000, now: () => time }));
  const serve = handler(null, functions, { use });
  for (const expected of ["200", "200", "200", "429 in 10", "429 in 10"]) {
    assertEquals(await limited(serve, "a"), expected);
  }
  assertEquals(await limited(serve, "b"), "200");
  time += 9999;
  assertEquals(await limited(serve, "a"), "429 in 1");
  time += 1;
  assertEquals(await limited(serve, "a"), "200");
  assertEquals(await limited(serve, "a"), "429 in 10");
  time += 3_600_000;
  for (const expected of ["200", "200", "200", "429 in 10"]) assertEquals(await limited(serve, "a"), expected);
});

Deno.test("rateLimit() grants a limit that does not divide its window in full", async () => {
  const use = middlewareStack().use(rateLimit({ limit: 7, window: 1000, now: () => 12_345.678 }));
  const serve = handler(null, functions, { use });
  for (let i = 0; i < 7; i++) assertEquals(await limited(serve, "a"), "200");
  assertEquals(await limited(serve, "a"), "429 in 1");
});

Deno.test("rateLimit() forgets callers beyond its bound, the one seen longest ago first, and limits nobody without a key", async () => {
  const use = middlewareStack().use(rateLimit({ limit: 1, window: 1000, most: 2, now: () => 0 }));
  const serve = handler(null, functions, { use });
  assertEquals(await limited(serve, "a"), "200");
  assertEquals(await limited(serve, "b"), "200");
  assertEquals(await limited(serve, "a"), "429 in 1");
  assertEquals(await limited(serve, "c"), "200");
  assertEquals(await limited(serve, "b"), "429 in 1");
  assertEquals(await limited(serve, "a"), "200");
  const free = middlewareStack().use(rateLimit({ limit: 1, window: 1000, key: () => undefined }));
  const open = handler(null, functions, { use: free });
  for (let i = 0; i < 3; i++) assertEquals(await limited(open, "a"), "200");
  for (const odd of [{ limit: 0, window: 1 }, { limit: 1, window: NaN }, { limit: 1, window: 1, most: -1 }]) {
    assertThrows(() => rateLimit(odd), RangeError, "not above zero");
  }
});

Deno.test("guardCSRF() refuses what a page of another site may make a browser send", async () => {
  const use = middlewareStack().use(guardCSRF({ origins: ["https://app.example.com"] }));
  const serve = handler(null, functions, { use });
  const status = async (method: string, path: string, headers: HeadersInit) =>
    (await serve(request(method, path, undefined, headers))).status;
  for (
    const [headers, expected] of [
      [{}, 409],
      [{ "sec-fetch-site": "same-origin" }, 409],
      [{ "sec-fetch-site": "none" }, 409],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "same-site" }, 403],
      [{ "sec-fetch-site": "cross-site", origin: "https://app.example.com" }, 409],
      [{ origin: "http://h" }, 409],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
    ] as [HeadersInit, number][]
  ) {
    assertEquals(await status("POST", "/clear", headers), expected, JSON.stringify(headers));
    assertEquals(await status("GET", "/notes", headers), 200, JSON.stringify(headers));
  }
});

const APP = "https://app.example.com";

Deno.test("withCORS() grants its origins, also on errors, and answers preflights without credentials", async () => {
  const auth = withCORS(
    { origins: [APP], credentials: true, expose: ["x-total", "etag"], maxAge: 600 },
    bearer("t0ken"),
  );
  const serve = handler(auth, functions);
  const told = async (method: string, headers: Record<string, string>): Promise<Record<string, unknown>> => {
    const response = await serve(request(method, "/notes", undefined, headers));
    const grants = [...response.headers].filter(([name]) => name.startsWith("access-control") || name === "vary");
    return { status: response.status, ...Object.fromEntries(grants) };
  };
  const granted = { "access-control-allow-origin": APP, "access-control-allow-credentials": "true" };
  assertEquals(
    await told("OPTIONS", {
      origin: APP,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    }),
    {
      status: 204,
      ...granted,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "content-type",
      "access-control-max-age": "600",
      vary: "origin, access-control-request-method, access-control-request-headers",
    },
  );
  const read = { ...granted, "access-control-expose-headers": "x-total, etag", vary: "origin" };
  assertEquals(await told("GET", { origin: APP }), { status: 401, ...read });
  assertEquals(await told("GET", { origin: APP, authorization: "Bearer t0ken" }), { status: 200, ...read });
  assertEquals(await told("GET", { origin: "https://evil.example", authorization: "Bearer t0ken" }), {
    status: 200,
    vary: "origin",
  });
  assertEquals(await told("GET", { authorization: "Bearer t0ken" }), { status: 200, vary: "origin" });
});

Deno.test("withCORS() lets everybody call where no authenticator is given, and grants all origins or by a function", async () => {
  const origin = async (options: Parameters<typeof withCORS>[0], from: string) => {
    const response = await handler(withCORS(options), functions)(request("GET", "/notes", undefined, { origin: from }));
    return [response.status, response.headers.get("access-control-allow-origin"), response.headers.get("vary")];
  };
  assertEquals(await origin({ origins: "*" }, APP), [200, "*", null]);
  const one = (from: string) => from.endsWith(".example.com");
  assertEquals(await origin({ origins: one }, APP), [200, APP, "origin"]);
  assertEquals(await origin({ origins: one }, "https://evil.example"), [200, null, "origin"]);
  assertThrows(() => withCORS({ origins: "*", credentials: true }), TypeError, "every page");
  for (const odd of ["app.example.com", "https://app.example.com/", "null"]) {
    assertThrows(() => withCORS({ origins: [odd] }), TypeError, "is no origin");
  }
});

Deno.test("withCORS() keeps an authenticator's own methods, those of a class too", async () => {
  class Own {
    readonly scheme = { type: "http", scheme: "bearer" };
    readonly #token = "t0ken";
    authenticate({ headers }: Request) {
      if (headers.get("authorization") !== `Bearer ${this.#token}`) throw new HTTPError(401, "no");
      return this.#token;
    }
    authorize(_identity: string, _request: Request, name: string) {
      if (name === "Clear") throw new HTTPError(403, `may not use ${this.#token}`);
    }
    redact(error: unknown) {
      return error instanceof HTTPError && error.status === 403 ? new HTTPError(404, "nothing") : error;
    }
  }
  const auth = withCORS({ origins: [APP] }, new Own());
  assertEquals(auth.scheme?.scheme, "bearer");
  const serve = handler(auth, functions);
  const headers = { authorization: "Bearer t0ken" };
  assertEquals((await serve(request("GET", "/notes", undefined, headers))).status, 200);
  assertEquals((await serve(request("POST", "/clear", undefined, headers))).status, 404);
  assertEquals((await serve(request("GET", "/notes"))).status, 401);
});
