import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  api,
  basic,
  bearer,
  handler,
  HTTPError,
  implement,
  implementPart,
  rest,
  sameSecret,
  socketProtocols,
} from "../../lib/rest/mod.ts";
import type { Authenticator } from "../../lib/rest/mod.ts";
import { surfaces } from "../../lib/rest/surfaces.ts";

const definition = api("x", {
  Who: rest("GET /who", [], [z.string()]),
  Read: rest("GET /read/{n=%v}", [z.number()], [z.string()]),
  Fail: rest("GET /fail"),
});

function call(auth: Authenticator<string>, path: string, headers: HeadersInit = {}, method = "GET"): Promise<Response> {
  const serve = handler(
    auth,
    implement(definition, {
      Who: (context) => context.identity,
      Read: (n) => String(n),
      Fail: () => {
        throw new Error("the database is at 10.0.0.7");
      },
    }, auth),
  );
  return serve(new Request(`http://h${path}`, { headers, method }));
}

Deno.test("bearer() lets the one token in and nothing else", async () => {
  const auth = bearer("secret");
  assertEquals((await call(auth, "/who", { authorization: "Bearer secret" })).status, 200);
  assertEquals((await call(auth, "/who", { authorization: "bearer secret" })).status, 200);
  for (const authorization of ["Bearer wrong", "Bearer secretx", "Bearer", "Basic secret", "secret", ""]) {
    const response = await call(auth, "/who", authorization === "" ? {} : { authorization });
    assertEquals(response.status, 401, authorization);
    assertEquals(response.headers.get("www-authenticate")?.startsWith("Bearer"), true);
  }
});

Deno.test("bearer() takes a function that knows the identity", async () => {
  const auth = bearer<string>((token) => token === "t" ? "ann" : undefined);
  assertEquals(await (await call(auth, "/who", { authorization: "Bearer t" })).text(), "ann");
  assertEquals((await call(auth, "/who", { authorization: "Bearer u" })).status, 401);
  // What it makes is the identity's type, and nothing else is.
  const typed: Authenticator<{ name: string }> = bearer((token) => token === "t" ? { name: "ann" } : undefined);
  assertEquals(typed.scheme?.scheme, "bearer");
});

Deno.test("basic() decodes name and password as UTF-8", async () => {
  const auth = basic(async (name, password) => await sameSecret(password, "pä:ss") ? name : undefined);
  const encode = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  assertEquals(await (await call(auth, "/who", { authorization: `Basic ${encode("ann:pä:ss")}` })).text(), "ann");
  for (const credentials of [encode("ann:no"), encode("ann"), "***", "/w=="]) {
    const response = await call(auth, "/who", { authorization: `Basic ${credentials}` });
    assertEquals(response.status, 401);
    assertEquals(response.headers.get("www-authenticate"), 'Basic realm="api", charset="UTF-8"');
  }
});

Deno.test("handler() authenticates before it decodes, and authorizes after", async () => {
  const seen: unknown[] = [];
  const auth: Authenticator<string> = {
    authenticate: (request) => {
      if (!request.headers.has("x-user")) throw new HTTPError(401, "Who are you?");
      return "ann";
    },
    authorize: (identity, _request, name, args) => {
      seen.push([identity, name, ...args]);
      if (args[0] === 2) throw new HTTPError(403, "Not that one");
    },
  };
  assertEquals((await call(auth, "/read/x")).status, 401);
  assertEquals((await call(auth, "/read/x", { "x-user": "" })).status, 400);
  assertEquals((await call(auth, "/read/1", { "x-user": "" })).status, 200);
  assertEquals((await call(auth, "/read/2", { "x-user": "" })).status, 403);
  assertEquals(seen, [["ann", "Read", 1], ["ann", "Read", 2]]);
});

Deno.test("handler() redacts every error that goes out", async () => {
  const auth: Authenticator<string> = {
    authenticate: () => "ann",
    redact: (error) => new HTTPError(error instanceof HTTPError ? error.status : 500, "Something is wrong"),
  };
  for (const [path, status] of [["/fail", 500], ["/nope", 404], ["/read/x", 400]] as const) {
    const response = await call(auth, path);
    assertEquals([response.status, (await response.json()).detail], [status, "Something is wrong"]);
  }
});

Deno.test("handler() grants CORS on answers, errors and OPTIONS, with Vary", async () => {
  const auth: Authenticator<string> = {
    authenticate: () => "ann",
    cors: (request) => {
      const origin = request.headers.get("origin");
      return origin === null ? undefined : { "access-control-allow-origin": origin, vary: "Origin" };
    },
  };
  for (
    const [path, method, status] of [["/who", "GET", 200], ["/nope", "GET", 404], ["/who", "OPTIONS", 204]] as const
  ) {
    const response = await call(auth, path, { origin: "https://a.example" }, method);
    assertEquals(response.status, status);
    assertEquals(response.headers.get("access-control-allow-origin"), "https://a.example");
    assertEquals(response.headers.get("vary")?.split(", ").at(-1), "Origin");
    await response.body?.cancel();
  }
});

Deno.test("basic() takes the name and password of a WebSocket's subprotocol, and of no other request's", async () => {
  const auth = basic((name, password) => name === "ann" && password === "pässword" ? name : undefined);
  const ask = (upgrade: HeadersInit, protocols: string[]) => {
    const headers = { ...upgrade, "sec-websocket-protocol": protocols.join(", ") };
    return auth.authenticate(new Request("http://h/", { headers }), "Ticks");
  };
  const right = socketProtocols({ name: "ann", password: "pässword" });
  assertEquals(await ask({ upgrade: "websocket" }, right), "ann");
  await assertRejects(async () => await ask({}, right), Error, "required");
  const wrong = socketProtocols({ name: "ann", password: "guess" });
  await assertRejects(async () => await ask({ upgrade: "websocket" }, wrong), Error, "wrong");
  await assertRejects(async () => await ask({ upgrade: "websocket" }, socketProtocols("a-token")), Error, "required");
  await assertRejects(
    async () =>
      await bearer("x").authenticate(
        new Request("http://h/", { headers: { upgrade: "websocket", "sec-websocket-protocol": right.join(", ") } }),
        "Ticks",
      ),
    Error,
    "required",
  );
});

/** What a check may return for a caller that it does not know. */
const NOBODY = [undefined, null, false] as const;

for (const nobody of NOBODY) {
  Deno.test(`defect: bearer() and basic() refuse when the check gives ${nobody}, at once or later`, async () => {
    const checks = [() => nobody, () => Promise.resolve(nobody)];
    for (const check of checks) {
      for (const [auth, authorization] of [[bearer(check), "Bearer t"], [basic(check), "Basic YTpi"]] as const) {
        // The types know no such identity; a check in JavaScript returns what it likes.
        const response = await call(auth as Authenticator<unknown> as Authenticator<string>, "/who", { authorization });
        assertEquals(response.status, 401);
        assertEquals(response.headers.get("www-authenticate")?.split(" ")[0], authorization.split(" ")[0]);
      }
    }
  });

  Deno.test(`defect: handler() and surfaces() refuse a caller for whom authenticate() gives ${nobody}`, async () => {
    for (const authenticate of [() => nobody, () => Promise.resolve(nobody)]) {
      const auth = { authenticate } as unknown as Authenticator<string>;
      assertEquals((await call(auth, "/who")).status, 401);
      const page = surfaces(definition, { auth, guarded: true });
      assertEquals((await page(new Request("http://h/"))).status, 401);
    }
  });
}

Deno.test("bearer() takes any other result of its check for an identity", async () => {
  for (const identity of [true, 0, "", "ann", {}]) {
    const auth = bearer(() => identity);
    const request = new Request("http://h/", { headers: { authorization: "Bearer t" } });
    assertEquals(await auth.authenticate(request, "Who"), identity);
  }
});

Deno.test("defect: handler() and surfaces() refuse an authenticator that is missing by mistake", () => {
  // A name that is misspelt in JavaScript gives undefined: only null says that anybody may call.
  const missing = undefined as unknown as null;
  const functions = implementPart(definition, { Who: () => "" });
  assertThrows(() => handler(missing, functions), TypeError, "pass an authenticator, or null");
  assertThrows(() => surfaces(definition, { guarded: true }), TypeError, "pass an authenticator");
});

Deno.test("bearer() and basic() refuse a secret that is not there when they are made", () => {
  // As `Deno.env.get("TOKEN")!` gives it.
  const missing = undefined as unknown as string;
  assertThrows(() => bearer(missing), TypeError, "expected a token or a function that checks one, got undefined");
  assertThrows(() => bearer(""), TypeError, "got an empty text");
  const check = missing as unknown as () => string;
  assertThrows(() => basic(check), TypeError, "expected a function that checks a name and a password, got undefined");
});
