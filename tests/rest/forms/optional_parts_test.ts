/** Parts of a form that are streams and may be left out. */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { diff } from "../../../lib/rest/contract/diff.ts";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";
import { apiWith, formStreams, handlerWith, rest as smallRest, streams } from "../../../lib/rest/server.ts";
import { api, DefinitionError, handler, implement, link, partOf, rest, stream } from "../../../lib/rest/mod.ts";
import { clientModule, clientSamples, clientTypes, docsPage, openapi } from "../../../lib/rest/surfaces.ts";

const operations = {
  Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream("image/png").optional()], [
    z.string(),
  ]),
  Pair: rest("POST(multipart/form-data) /pairs (cover,body)", [stream().optional(), stream()], [z.string()]),
};
const album = api("http://album.example.com", operations);

const text = async (body: ReadableStream | undefined) => body && await new Response(body).text();
const functions = implement(album, {
  Add: async (title, file) => `${title} ${file && partOf(file).filename} ${await text(file)}`,
  Pair: async (cover, body) => `${await text(cover)}|${await text(body)}`,
});
const serve = handler(null, functions, { onError() {} });

const part = (name: string, value: string, more = "") =>
  `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

async function post(path: string, ...parts: string[]): Promise<string> {
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const body = [...parts, "--x--\r\n"].join("");
  const response = await serve(new Request(`http://h${path}`, { method: "POST", body, headers }));
  return `${response.status} ${await response.text()}`;
}

Deno.test("stream().optional() is undefined where its part of a form did not come", async () => {
  assertEquals(await post("/photos", part("title", "a")), "200 a undefined undefined");
  assertEquals(await post("/photos", part("title", "a"), part("file", "b", '; filename="c"')), "200 a c b");
  assertEquals(await post("/pairs", part("body", "b")), "200 undefined|b");
  assertEquals(await post("/pairs", part("cover", "a"), part("body", "b")), "200 a|b");
  // A page sends an input without a file so; a file may have no name, too.
  const unchosen = part("file", "", '; filename=""\r\ncontent-type: application/octet-stream');
  assertEquals(await post("/photos", part("title", "a"), unchosen), "200 a undefined undefined");
  assertEquals(await post("/photos", part("title", "a"), part("file", "b", '; filename=""')), "200 a  b");
  assertEquals(await post("/pairs", part("cover", "", '; filename=""'), part("body", "b")), "200 undefined|b");
});

Deno.test("a form with an optional stream keeps its order, and says what is missing", async () => {
  assertStringIncludes(await post("/pairs", part("cover", "a")), 'the streamed part \\"body\\" is missing');
  assertStringIncludes(await post("/pairs"), 'the streamed part \\"body\\" is missing');
  const behind = await post("/photos", part("file", "b"), part("title", "a"));
  assertStringIncludes(behind, '\\"title\\": it is missing: the fields of a form come before its streamed part');
  const unchosen = await post("/photos", part("file", "", '; filename=""'), part("title", "a"));
  assertStringIncludes(unchosen, '\\"title\\" comes behind the streamed part \\"file\\"');
  assertStringIncludes(await post("/photos"), '\\"title\\"');
});

Deno.test("a client leaves an optional stream of a form out, also through a proxy", async () => {
  async function* pieces() {
    yield "one ";
    yield "two";
  }
  const direct = link(album, "http://h", { fetch: serve });
  const proxied = link(album, "http://h", { fetch: handler(null, direct) });
  for (const client of [direct, proxied]) {
    assertEquals(await client.Add("a"), "a undefined undefined");
    assertEquals(await client.Add("a", undefined, { timeout: 5000 }), "a undefined undefined");
    assertEquals(await client.Add("a", pieces()), "a file one two");
    assertEquals(await client.Pair(undefined, "b"), "undefined|b");
    assertEquals(await client.Pair(undefined, pieces()), "undefined|one two");
    assertEquals(await client.Pair(pieces(), "b"), "one two|b");
  }
});

Deno.test("a small server knows optional streams of forms without further parts", async () => {
  const small = apiWith({}, "http://album.example.com", {
    Add: smallRest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream().optional()], [z.string()]),
  });
  const run = handlerWith(
    formStreams({ streams }),
    null,
    implement(small, { Add: async (title, file) => `${title} ${await text(file)}` }),
  );
  const body = new FormData();
  body.append("title", "a");
  const response = await run(new Request("http://h/photos", { method: "POST", body }));
  assertEquals(await response.text(), "a undefined");
});

Deno.test("a definition says where an optional stream cannot be", () => {
  const messageOf = (make: () => unknown) => assertThrows(make, DefinitionError).message;
  assertStringIncludes(
    messageOf(() => api("x", { A: rest("POST /a", [stream().optional()]) })),
    "argument 1 is an optional stream and the whole body: take stream(), which is empty where nothing comes",
  );
  assertStringIncludes(
    messageOf(() => api("x", { A: rest("POST(multipart/form-data) /a (a,b)", [stream(), stream().optional()]) })),
    "argument 2 is an optional stream behind another: only the first can be left out",
  );
  assertStringIncludes(
    messageOf(() => api("x", { A: rest("GET /a", [], [stream().optional()]) })),
    "result 1 is an optional stream, which only an argument can be: take stream()",
  );
  assertStringIncludes(
    messageOf(() => api("x", { A: rest("GET /a/%v", [stream().optional()]) })),
    "takes a single value, but an optional stream cannot stand there",
  );
  assertStringIncludes(
    messageOf(() => api("x", { A: rest("POST /a (X-File:)", [stream().optional()]) })),
    "takes a single value, but argument 1 is an optional stream",
  );
});

Deno.test("documents, modules and contracts know optional streams of forms", async () => {
  const document = openapi(album);
  assertEquals(document.components.schemas.AddRequest.required, ["title"]);
  assertEquals(document.components.schemas.PairRequest.required, ["body"]);
  assertEquals(Object(document.components.schemas.AddRequest.properties).file, {
    type: "string",
    contentMediaType: "image/png",
    format: "binary",
    "x-gantry-kind": "stream",
  });
  assertStringIncludes(docsPage(document), '<label for="Add-part-file">file</label>');
  assertStringIncludes(docsPage(document), '<label for="Pair-part-body">body<span class="required">');
  assertStringIncludes(clientTypes(album), "title: string, file?: Blob, options?: CallOptions");
  assertStringIncludes(clientTypes(album), "cover: Blob | undefined, body: Blob, options?: CallOptions");
  assertEquals(clientSamples(album).get("Pair"), 'const result = await client.Pair(new Blob(["…"]), new Blob(["…"]));');
  const imported = importOpenAPI(document);
  assertStringIncludes(imported, '(title,file)", [z.string(), stream("image/png").optional()], [z.string()])');
  assertStringIncludes(imported, '(cover,body)", [stream().optional(), stream()], [z.string()])');
  const { connect } = await import(`data:text/javascript,${encodeURIComponent(clientModule(album))}`);
  const client = connect("http://h", { fetch: serve });
  assertEquals(await client.Add("a"), "a undefined undefined");
  assertEquals(await client.Pair(undefined, new Blob(["b"])), "undefined|b");
  const { failures, untried } = await conform(album, "http://h", {
    client: { fetch: handler(null, mock(album)) },
    operations: ["Add", "Pair"],
  });
  assertEquals([failures, untried], [[], []]);
});

Deno.test("diff() tells that a stream of a form must come now, and not that it may be left out", () => {
  const needed = api("http://album.example.com", {
    ...operations,
    Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream("image/png")], [z.string()]),
  });
  const breaking = (from: typeof album | typeof needed, to: typeof album | typeof needed) =>
    diff(from, to).filter((change) => change.breaking).length;
  assertEquals(breaking(album, needed), 1);
  assertEquals(breaking(needed, album), 0);
});
