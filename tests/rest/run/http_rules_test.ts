/** Rules of HTTP that caches, browsers and monitors count on. */
import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, chan, failureOf, handler, HTTPError, implement, link, rest, stream } from "../../../lib/rest/mod.ts";
import { request, serve } from "../../fixtures/rest/serve.ts";

let begun = 0;
const run = serve({
  Text: rest("GET /text", [], [z.string()]),
  List: rest("GET /list", [], [z.array(z.string())]),
  Tagged: rest("GET /tagged", [], [z.string()], { body: "as-tagged" }),
  Watch: rest("GET /watch", [], [chan(z.number())]),
  Raw: rest("GET /raw", [], [stream("text/csv")]),
  Pieces: rest("GET /pieces", [], [stream("text/csv")]),
  Put: rest("PUT /things/{id=%v}", [z.string()]),
}, {
  Text: () => "a",
  List: () => ["a"],
  Tagged: () => "a",
  async *Watch() {
    begun++;
    yield 1;
  },
  Raw: () => "a,b",
  async *Pieces() {
    begun++;
    yield "a,b";
  },
  Put() {},
}, { headers: { vary: "origin" } });

Deno.test("handler() says Vary: Accept of what was negotiated, and of nothing else", async () => {
  const vary = async (path: string, accept = "*/*") => {
    const response = await run(request("GET", path, undefined, { accept }));
    await response.body?.cancel();
    return response.headers.get("vary");
  };
  assertEquals(await vary("/text"), "origin, accept");
  assertEquals(await vary("/text", "application/json"), "origin, accept");
  assertEquals(await vary("/watch"), "accept, origin");
  assertEquals([await vary("/list"), await vary("/tagged"), await vary("/raw")], ["origin", "origin", "origin"]);
});

Deno.test("handler() answers HEAD as the GET without its body, and asks no channel or pieces for a value", async () => {
  begun = 0;
  for (
    const [path, type] of [
      ["/text", "text/plain;charset=UTF-8"],
      ["/list", "application/json"],
      ["/watch", "application/x-ndjson"],
      ["/raw", "text/csv"],
      ["/pieces", "text/csv"],
    ]
  ) {
    const response = await run(request("HEAD", path));
    assertEquals([response.status, response.headers.get("content-type"), response.body], [200, type, null], path);
  }
  assertEquals(begun, 0);
  assertEquals((await run(request("HEAD", "/things/a"))).status, 405);
});

Deno.test("defect: HEAD of a stream fails where its GET does, and leaves what that would read", async () => {
  const seen: string[] = [];
  const files = serve({ Read: rest("GET /files/{name=%v}", [z.string()], [stream()]) }, {
    Read(name, { signal }) {
      if (name === "none") throw new HTTPError(404, "Read: there is none");
      signal.addEventListener("abort", () => seen.push(`${name} aborted`));
      const left = () => void seen.push(`${name} left`);
      const pieces = (): AsyncIterator<string> => ({
        next: () => new Promise(() => {}),
        return: () => (left(), Promise.resolve({ done: true, value: undefined })),
      });
      if (name === "pieces") return { [Symbol.asyncIterator]: pieces };
      const body = new ReadableStream<Uint8Array>({ cancel: left });
      return name === "made" ? new Response(body, { status: 203, headers: { "x-made": "1" } }) : body;
    },
  });
  const head = async (name: string) => {
    const { status, body, headers } = await files(request("HEAD", `/files/${name}`));
    return [status, body, headers.get("x-made")];
  };
  assertEquals(await head("none"), [404, null, null]);
  assertEquals(await head("stream"), [200, null, null]);
  assertEquals(await head("made"), [203, null, "1"]);
  assertEquals(await head("pieces"), [200, null, null]);
  assertEquals(
    seen.toSorted(),
    ["made aborted", "made left", "pieces aborted", "pieces left", "stream aborted", "stream left"],
  );
});

Deno.test("HEAD of a channel calls its function, takes no value, and answers what the GET would", async () => {
  const seen: string[] = [];
  const prices = serve({
    Watch: rest("GET /prices/{of=%v} !404 !409(Taken)", [z.string()], [chan(z.number())], {
      errors: { Taken: z.object({ by: z.string() }) },
    }),
  }, {
    Watch(of, { signal, headers }) {
      if (of === "none") return failureOf(404, "Watch: there is none");
      if (of === "taken") throw failureOf(409, "Watch: it is taken", { by: "ann" });
      headers.set("x-of", of);
      signal.addEventListener("abort", () => seen.push("aborted"));
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => (seen.push("asked"), Promise.resolve({ done: false, value: 1 })),
          return: () => (seen.push("left"), Promise.resolve({ done: true, value: undefined })),
        }),
      };
    },
  }, { headers: { vary: "origin" } });
  const answer = async (method: string, of: string, more: Record<string, string> = {}) => {
    const { status, headers, body } = await prices(request(method, `/prices/${of}`, undefined, more));
    await body?.cancel();
    return [status, ...["content-type", "cache-control", "vary", "x-of"].map((name) => headers.get(name))];
  };
  for (const accept of ["*/*", "text/event-stream"]) {
    for (const name of ["tea", "none", "taken"]) {
      assertEquals(await answer("HEAD", name, { accept }), await answer("GET", name, { accept }), `${name} ${accept}`);
    }
  }
  assertEquals((await answer("HEAD", "none"))[0], 404);
  assertEquals((await answer("HEAD", "tea", { accept: "text/event-stream", "last-event-id": "end" }))[0], 204);
  seen.length = 0;
  const head = await prices(request("HEAD", "/prices/tea"));
  assertEquals([head.status, head.body, seen.toSorted()], [200, null, ["aborted", "left"]]);
});

Deno.test("HEAD of a channel through a proxy tells what the server behind says", async () => {
  const inner = api("x", { Watch: rest("GET /prices/{of=%v}", [z.string()], [chan(z.number())]) });
  const fetch = handler(
    null,
    implement(inner, {
      async *Watch(of) {
        if (of === "none") throw new HTTPError(404, "Watch: there is none");
        yield 1;
      },
    }),
  );
  const proxy = handler(null, link(inner, "http://inner", { fetch }));
  assertEquals((await proxy(request("HEAD", "/prices/none"))).status, 404);
  const { status, headers } = await proxy(request("HEAD", "/prices/tea"));
  assertEquals([status, headers.get("content-type")], [200, "application/x-ndjson"]);
});

Deno.test("handler() answers OPTIONS * with all methods", async () => {
  const response = await run(request("OPTIONS", "/*"));
  assertEquals([response.status, response.headers.get("allow")], [204, "GET, HEAD, PUT"]);
});

Deno.test("handler() ends an EventSource whose channel has ended", async () => {
  const headers = { accept: "text/event-stream" };
  const text = await (await run(request("GET", "/watch", undefined, headers))).text();
  const id = /^event: end\nid: (.*)$/m.exec(text)?.[1];
  assert(id, text);
  begun = 0;
  const again = await run(request("GET", "/watch", undefined, { ...headers, "last-event-id": id }));
  // 204 is what an EventSource does not come back from (HTML Standard, section 9.2.3).
  assertEquals([again.status, begun], [204, 0]);
});
