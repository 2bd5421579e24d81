import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, bearer, handler, rest } from "../../../lib/rest/mod.ts";
import { docsPage, openapi, surfaces } from "../../../lib/rest/surfaces.ts";
import { serveShop, shop, shopFunctions, TOKEN } from "../../fixtures/rest/shop.ts";

const serve = serveShop();

function get(path: string, headers: HeadersInit = {}, method = "GET"): Promise<Response> {
  return serve(new Request(`http://h${path}`, { method, headers }));
}

Deno.test("surfaces() answers on the root as the client accepts", async () => {
  const cases: [accept: string | undefined, type: string][] = [
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "text/html"],
    ["text/javascript", "text/javascript"],
    ["application/typescript", "application/typescript"],
    ["text/html;q=0.2, text/javascript;q=0.4", "text/javascript"],
  ];
  for (const [accept, type] of cases) {
    const response = await get("/", accept === undefined ? {} : { accept });
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("content-type"), `${type};charset=UTF-8`, accept);
    assertEquals(response.headers.get("vary"), "Accept, Sec-Fetch-Dest");
    await response.body?.cancel();
  }
  assertEquals((await get("/", { accept: "image/png" })).status, 406);
  const page = await get("/docs.html");
  const pieces = await Array.fromAsync(page.body!, ({ length }) => length);
  assert(pieces.length > 1 && Math.max(...pieces) <= 65_536, "callers who read nothing cost little");
  assertEquals(pieces.reduce((sum, length) => sum + length), Number(page.headers.get("content-length")));
});

Deno.test("surfaces() gives a browser that imports the root the client module", async () => {
  const response = await get("/", { accept: "*/*", "sec-fetch-dest": "script" });
  assertEquals(response.headers.get("content-type"), "text/javascript;charset=UTF-8");
  assertStringIncludes(await response.text(), "export default client");
});

Deno.test("surfaces() has an address for each face", async () => {
  for (const file of ["openapi.json", "docs.html", "client.js", "client.d.ts"]) {
    const response = await get(`/${file}`, { accept: "*/*" });
    assertEquals(response.status, 200, file);
    assert((await response.text()).length > 1000, file);
  }
  const document = await (await get("/openapi.json")).json();
  assertEquals(document.info, { title: "Shop", version: "2.1", description: "A *shop*." });
});

Deno.test("surfaces() leaves operations alone, and answers unknown paths and methods like the API", async () => {
  assertEquals(await (await get("/sum?a=1&b=2")).text(), "3");
  const unknown = await get("/nothing");
  assertEquals([unknown.status, unknown.headers.get("content-type")], [404, "application/problem+json"]);
  const wrong = await get("/", {}, "POST");
  assertEquals([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"]);
  const options = await get("/", {}, "OPTIONS");
  assertEquals([options.status, options.headers.get("allow")], [204, "GET, HEAD"]);
  const head = await get("/", {}, "HEAD");
  assertEquals([head.status, head.body], [200, null]);
  await Promise.all([unknown, wrong].map((response) => response.body?.cancel()));
});

Deno.test("surfaces() answers 304 to who has it already", async () => {
  const first = await get("/", { accept: "text/html" });
  await first.body?.cancel();
  const etag = first.headers.get("etag")!;
  assertMatch(etag, /^"[0-9a-f]{24}"$/);
  assertEquals((await get("/", { accept: "text/html", "if-none-match": `W/${etag}, "x"` })).status, 304);
  const other = await get("/", { accept: "application/json", "if-none-match": etag });
  assertEquals(other.status, 200);
  await other.body?.cancel();
});

Deno.test("surfaces() stands on another path, and asks its own fallback for the rest", async () => {
  const fallback = () => Promise.resolve(new Response("site"));
  const serve = handler(null, shopFunctions, { fallback: surfaces(shop, { path: "/api", fallback }) });
  const text = async (path: string) => (await (await serve(new Request(`http://h${path}`))).text()).slice(0, 11);
  assertEquals(await text("/api"), '{"openapi":');
  assertEquals(await text("/api/"), '{"openapi":');
  assertEquals(await text("/api/openapi.json"), '{"openapi":');
  assertEquals(await text("/"), "site");
  assertEquals(await text("/openapi.json"), "site");
});

Deno.test("surfaces() shows itself to callers only when it is guarded", async () => {
  const auth = bearer(TOKEN);
  const open = surfaces(shop, { auth });
  const guarded = surfaces(shop, { auth, guarded: true });
  assertEquals((await open(new Request("http://h/"))).status, 200);
  const refused = await guarded(new Request("http://h/"));
  assertEquals([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
  const let_in = await guarded(new Request("http://h/", { headers: { authorization: `Bearer ${TOKEN}` } }));
  assertEquals(let_in.status, 200);
});

Deno.test("docsPage() escapes what a definition says and loads nothing from elsewhere", () => {
  const document = openapi(shop, { title: "<script>alert(1)</script>", description: "</style><img src=x>" });
  const page = docsPage(document);
  assertEquals(page.includes("<script>alert"), false);
  assertEquals(page.includes("<img"), false);
  assertEquals([...page.matchAll(/\b(?:src|srcset|action)="/g)].length, 0);
  const links = [...page.matchAll(/<(?:link|a)\b[^>]*?href="([^"]*)"/g)].map((match) => match[1]);
  assertEquals(links.filter((link) => !/^(#|data:|openapi\.json$|client\.)/.test(link)), []);
  assertEquals(/@import|url\(/.test(page), false);
});

Deno.test("docsPage() folds the list of a large API, and fields of which there are many", () => {
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, z.string().optional()]));
  const operations = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`Do${i}`, rest(`POST /n${i % 3}/${i}` as string, [z.object(fields)])]),
    );
  const page = (count: number) => docsPage(openapi(api("x", operations(count))));
  const open = (text: string) => [...text.matchAll(/<details data-group open>/g)].length;
  assertEquals([open(page(30)), open(page(90))], [3, 0]);
  assertStringIncludes(page(3), "<summary>30 fields</summary>");
});

Deno.test("docsPage() has a heading, a form and a name for every control of every operation", () => {
  const page = docsPage(openapi(shop));
  for (const { name } of shop.plans) {
    assertStringIncludes(page, `<article id="${name}"`);
    assertStringIncludes(page, `aria-label="Try ${name}"`);
  }
  const labelled = new Set([...page.matchAll(/<label for="([^"]+)"/g)].map((match) => match[1]));
  const controls = [...page.matchAll(/<(?:input|select|textarea)\b([^>]*)>/g)].map((match) => match[1])
    .filter((attributes) => !/type="hidden"|aria-label=/.test(attributes));
  for (const attributes of controls) assert(labelled.has(/id="([^"]+)"/.exec(attributes)?.[1] ?? ""), attributes);
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]);
  assertEquals(ids.length, new Set(ids).size, "an id stands twice");
});

Deno.test("surfaces() below a path sends a browser to where the page's links lead on", async () => {
  const serve = surfaces(shop, { path: "/about/shop" });
  const ask = (path: string, accept: string) => serve(new Request(`http://h${path}`, { headers: { accept } }));
  const sent = await ask("/about/shop", "text/html");
  assertEquals([sent.status, sent.headers.get("location")], [307, "./shop/"]);
  const url = new URL(sent.headers.get("location")!, "http://h/about/shop");
  assertEquals((await ask(url.pathname, "text/html")).status, 200);
  assertEquals((await ask(new URL("client.js", url).pathname, "*/*")).status, 200);
  assertEquals((await ask("/about/shop", "application/json")).status, 200);
});

Deno.test("surfaces() asks for a description at the first document, once, and for nothing else", async () => {
  let asked = 0;
  let fails = true;
  const serve = surfaces(shop, {
    title: "before",
    describe() {
      asked++;
      return fails ? Promise.reject(new Error("not there yet")) : Promise.resolve({ title: "described" });
    },
  });
  const status = async (method: string, path: string, headers: HeadersInit = {}) =>
    (await serve(new Request(`http://h${path}`, { method, headers }))).status;
  const others = [
    await status("GET", "/nothing"),
    await status("POST", "/openapi.json"),
    await status("OPTIONS", "/"),
    await status("GET", "/", { accept: "image/png" }),
  ];
  assertEquals([others, asked], [[404, 405, 204, 406], 0]);
  assertEquals([await status("GET", "/openapi.json"), asked], [500, 1]);
  fails = false;
  for (const _ of [1, 2]) {
    const document = await (await serve(new Request("http://h/openapi.json"))).json();
    assertEquals([document.info.title, asked], ["described", 2]);
  }
});

Deno.test("surfaces() asks what else there is to say of an API for a document and the page alone, and again where that fails", async () => {
  let asked = 0;
  const describe = () =>
    ++asked === 1 ? Promise.reject(new Error("not now")) : Promise.resolve({ servers: ["https://described.example"] });
  const serve = surfaces(shop, { describe, servers: ["https://given.example"], onError: () => {} });
  const ask = async (path: string, method = "GET") => {
    const response = await serve(new Request(`http://h${path}`, { method }));
    return [response.status, asked, (await response.text()).includes("https://described.example")];
  };
  assertEquals(await ask("/client.js"), [200, 0, false]);
  assertEquals(await ask("/client.d.ts"), [200, 0, false]);
  assertEquals(await ask("/nothing"), [404, 0, false]);
  assertEquals(await ask("/openapi.json", "OPTIONS"), [204, 0, false]);
  assertEquals(await ask("/openapi.json"), [500, 1, false]);
  assertEquals(await ask("/openapi.json"), [200, 2, true]);
  assertEquals(await ask("/openapi.json"), [200, 2, true]);
  assertEquals(await ask("/docs.html"), [200, 3, true]);
  assertEquals(await ask("/"), [200, 3, true]);
});
