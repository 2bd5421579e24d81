/** A linked API that is served again: what it is sent passes as it came. */
import { assert, assertEquals } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import { makeDeferred } from "../../lib/rest/run/deferred.ts";
import { api, bearer, chan, type Context, handler, HTTPError, implement, link, rest } from "../../lib/rest/mod.ts";
import { listen } from "../../lib/platform/http/listener.ts";
import { resumable } from "../../lib/rest/channels/resumable.ts";
import { JSON_TYPE, request } from "../fixtures/rest/serve.ts";

const Shout = z.string().transform((text) => `${text}!`);
const definition = api("x", {
  Say: rest("GET /say?text=%v", [Shout], [z.string()]),
  Body: rest("POST /body", [z.object({ text: Shout })], [z.object({ text: Shout })], { status: 201 }),
  Headers: rest("GET /headers", [], [z.record(z.string(), z.string())]),
  Watch: rest("GET /watch", [], [chan(z.number())]),
  Fail: rest("GET /fail"),
  Image: rest("GET /images/{name*=%v}", [z.string()], [z.string()]),
});
const upstream = handler(
  null,
  implement(definition, {
    Say: (text) => text,
    Body: ({ text }) => ({ text }),
    Headers: ({ request, headers }) => {
      headers.set("x-total", "7");
      headers.set("etag", '"a"');
      headers.append("set-cookie", "secret=1");
      return Object.fromEntries(request.headers);
    },
    Watch: () =>
      resumable(async function* (after) {
        yield [String(Number(after ?? 0) + 1), Number(after ?? 0) + 1];
      }),
    Fail: () => Promise.reject(new HTTPError(429, "later", { headers: { "retry-after": "7" } })),
    Image: (name) => name,
  }),
);
const proxy = handler(null, link(definition, "http://upstream", { fetch: upstream }));

Deno.test("handler(link()) passes arguments and results on without transforming them", async () => {
  assertEquals(await (await proxy(request("GET", "/say?text=a"))).text(), "a!");
  const response = await proxy(request("POST", "/body", '{"text":"a"}', JSON_TYPE));
  assertEquals([response.status, await response.json()], [201, { text: "a!" }]);
});

Deno.test("handler(link()) keeps headers, both ways, but for credentials and cookies", async () => {
  const sent = { "accept-language": "de", "if-none-match": '"b"', authorization: "Bearer x", cookie: "a=1" };
  const response = await proxy(request("GET", "/headers", undefined, sent));
  const seen = await response.json();
  assertEquals([seen["accept-language"], seen["if-none-match"], seen.authorization, seen.cookie], [
    "de",
    '"b"',
    undefined,
    undefined,
  ]);
  const { headers } = response;
  assertEquals(["x-total", "etag", "set-cookie"].map((name) => headers.get(name)), ["7", '"a"', null]);
});

Deno.test("handler(link()) passes on the cookies that a tag names, and no others", async () => {
  const sessions = api("x", {
    SignIn: rest("POST /session Set-Cookie:sid", [], [z.string()]),
    Who: rest("GET /who (Cookie:sid) *", [z.string().optional()], [z.string()]),
  });
  const behind = handler(
    null,
    implement(sessions, {
      SignIn({ headers }) {
        headers.append("set-cookie", "other=1");
        return "a b";
      },
      Who: (sid = "nobody", { request }) => `${sid} ${request.headers.get("cookie")}`,
    }),
  );
  const front = handler(null, link(sessions, "http://upstream", { fetch: behind }));
  const { headers } = await front(request("POST", "/session"));
  assertEquals(headers.getSetCookie().map((line) => line.split(";")[0]), ["sid=a%20b"]);
  const asked = await front(request("GET", "/who", undefined, { cookie: "more=2; sid=a%20b" }));
  assertEquals(await asked.text(), "a b sid=a%20b");
});

Deno.test("handler(link()) resumes a channel where its client left it", async () => {
  const headers = { accept: "text/event-stream", "last-event-id": "41" };
  const text = await (await proxy(request("GET", "/watch", undefined, headers))).text();
  assert(text.startsWith("id: 42\ndata: 42\n\n"), text);
});

Deno.test("handler(link()) passes statuses and their headers on", async () => {
  const response = await proxy(request("GET", "/fail"));
  assertEquals([response.status, response.headers.get("retry-after")], [429, "7"]);
  assertEquals((await response.json()).detail, "later");
});

Deno.test("handler(link()) answers 502 where the server behind is gone, 504 where it is late, 400 what cannot be sent on", async () => {
  const failing = (error: Error) =>
    handler(null, link(definition, "http://upstream", { fetch: () => Promise.reject(error) }), { onError() {} });
  const ask = async (error: Error) => (await failing(error)(request("GET", "/say?text=a"))).status;
  assertEquals(await ask(new TypeError("connection refused")), 502);
  assertEquals(await ask(new DOMException("late", "TimeoutError")), 504);
  assertEquals((await proxy(request("GET", "/images/a/..%2fb"))).status, 400);
});

Deno.test("handler(link()) asks its own authenticator, and not the server behind", async () => {
  const guarded = handler(bearer("secret"), link(definition, "http://upstream", { fetch: upstream }));
  assertEquals((await guarded(request("GET", "/say?text=a"))).status, 401);
  assertEquals(
    (await guarded(request("GET", "/say?text=a", undefined, { authorization: "Bearer secret" }))).status,
    200,
  );
});

Deno.test("handler(link()) passes the values of a WebSocket through as they came, checked and transformed by nobody", async () => {
  let checks = 0;
  const Counted = z.object({ text: z.string() }).refine(() => ++checks > 0);
  const words = api("x", { Words: rest("GET /words", [], [chan(Counted)]) });
  let left = 0;
  const lines = '{ "text" : "a", "more": 1.0 }\n{"text":"b"}\n';
  // A server that is not ours, so that what it spells is not what we would.
  const foreign = () => {
    const body = new Blob([lines]).stream().pipeThrough(new TransformStream({ flush: () => void left++ }));
    return Promise.resolve(new Response(body, { headers: { "content-type": "application/x-ndjson" } }));
  };
  const serve = handler(null, link(words, "http://upstream", { fetch: foreign }));
  const listener = await listen("tcp://127.0.0.1:0", serve);
  try {
    const socket = new WebSocket(`${listener.address.replace("tcp:", "ws:")}/words`);
    const texts: string[] = [];
    socket.addEventListener("message", ({ data }) => texts.push(data));
    const { code } = await new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    assertEquals([texts.join("\n") + "\n", code, checks, left], [lines, 1000, 0, 1]);
  } finally {
    await listener.close(0);
  }
});

Deno.test("defect: a WebSocket through a proxy to a server that is not there says so as it closes", async () => {
  const words = api("x", { Words: rest("GET /words", [], [chan(z.string())]) });
  const told: unknown[] = [];
  const gone = makeDeferred<Response>();
  const dead = link(words, "http://upstream", { fetch: () => gone.promise });
  const serve = handler(null, dead, { onError: (error) => void told.push(error) });
  await using listener = await listen("tcp://127.0.0.1:0", serve);
  const socket = new WebSocket(`${listener.address.replace("tcp:", "ws:")}/words`);
  socket.addEventListener("open", () => gone.reject(new TypeError("connection refused")));
  const { code, reason } = await new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
  assertEquals([code, reason], [1011, 'Send "Words" on: the server behind cannot be reached']);
  assertEquals(told.map((error) => error instanceof HTTPError && error.status), [502]);
});

Deno.test("handler() lets a function call one of a linked API with other arguments, and gives it the result", async () => {
  const { functions } = link(definition, "http://upstream", { fetch: upstream });
  const own = {
    ...functions,
    async Image(name: string, context: Context) {
      const image = await (functions.Image as (...given: unknown[]) => Promise<string>)(`tenant/${name}`, context);
      return `${image} (${image.length})`;
    },
  };
  const gateway = handler(null, { definition, functions: own });
  assertEquals(await (await gateway(request("GET", "/images/a"))).text(), "tenant/a (8)");
  assertEquals(await (await gateway(request("GET", "/say?text=a"))).text(), "a!");
});
