/** Pages of other sites, outside of a listener that refuses them all. */
import { assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, type Authenticator, chan, handler, implement, rest, stream } from "../../../lib/rest/mod.ts";

const definition = api("x", {
  Put: rest("POST /things", [z.object({ a: z.number() })], [z.string()]),
  Raw: rest("POST /raw", [stream("application/x-tar")], [z.string()]),
  Tagged: rest("POST /tagged", [z.object({ a: z.number() })], [z.string()], { body: "as-tagged" }),
  Form: rest("POST(application/x-www-form-urlencoded) /form", [z.object({ a: z.string() })], [z.string()]),
  Watch: rest("GET /watch", [], [chan(z.number())]),
});
const functions = {
  Put: () => "put",
  Raw: () => "raw",
  Tagged: () => "tagged",
  Form: () => "form",
  async *Watch() {
    yield 1;
  },
};
const anybody = handler(null, implement(definition, functions));
const cors = (grant: string): Authenticator<string> => ({
  authenticate: () => "ann",
  cors: () => ({ "access-control-allow-origin": grant }),
});

/** A POST of JSON whose type is not said, as a page sends a Blob. */
function post(path: string, headers: HeadersInit, type?: string): Request {
  const body = new TextEncoder().encode('{"a":1}');
  return new Request(`http://shop.example${path}`, {
    method: "POST",
    body,
    headers: [...new Headers(headers), ...type === undefined ? [] : [["content-type", type] as [string, string]]],
  });
}

const FOREIGN: Record<string, string>[] = [
  { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  { "sec-fetch-site": "same-site", origin: "https://other.shop.example" },
  { origin: "https://evil.example" },
  { origin: "null" },
];
const OWN: Record<string, string>[] = [{}, { "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, {
  origin: "https://shop.example",
}];

Deno.test("handler() refuses a body without a type from another site's page", async () => {
  for (const headers of FOREIGN) {
    assertEquals((await anybody(post("/things", headers))).status, 403, JSON.stringify(headers));
    assertEquals((await anybody(post("/things", headers, "application/json"))).status, 200, "the browser has asked");
    for (const path of ["/raw", "/tagged"]) {
      assertEquals((await anybody(post(path, headers, "text/plain"))).status, 403, path);
      assertEquals((await anybody(post(path, headers))).status, 403, path);
    }
    assertEquals((await anybody(post("/raw", headers, "application/x-tar"))).status, 200);
    const form = "application/x-www-form-urlencoded";
    assertEquals((await anybody(post("/form", headers, form))).status, 400, "forms are meant for pages");
  }
  for (const headers of OWN) {
    assertEquals((await anybody(post("/things", headers))).status, 200, JSON.stringify(headers));
    for (const path of ["/raw", "/tagged"]) {
      assertEquals((await anybody(post(path, headers, "text/plain"))).status, 200);
    }
  }
});

Deno.test("handler() refuses a WebSocket of another site's page", async () => {
  const open = (headers: HeadersInit) =>
    anybody(new Request("http://shop.example/watch", { headers: [...new Headers(headers), ["upgrade", "websocket"]] }));
  for (const headers of FOREIGN) assertEquals((await open(headers)).status, 403, JSON.stringify(headers));
  // This runtime has no WebSocket to give: the request came as far as that.
  for (const headers of OWN) assertEquals((await open(headers)).status, 501, JSON.stringify(headers));
});

Deno.test("handler() lets another site in that cors grants it", async () => {
  const [foreign] = FOREIGN;
  const granted = handler(cors("https://evil.example"), implement(definition, functions));
  assertEquals((await granted(post("/things", foreign))).status, 200);
  const other = handler(cors("https://good.example"), implement(definition, functions));
  assertEquals((await other(post("/things", foreign))).status, 403);
  const all = handler(cors("*"), implement(definition, functions));
  assertEquals((await all(post("/things", foreign))).status, 200);
  assertEquals((await all(post("/things", { ...foreign, cookie: "a=1" }))).status, 403);
});
