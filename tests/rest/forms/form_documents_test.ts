/** Forms with streamed parts in documents, in modules made of them, and in the tools of contracts. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { importOpenAPI } from "../../../lib/rest/contract/import_openapi.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";
import { api, handler, implement, link, rest, stream } from "../../../lib/rest/mod.ts";
import { clientModule, clientTypes, docsPage, openapi } from "../../../lib/rest/surfaces.ts";

const album = api("http://album.example.com", {
  Add: rest("POST(multipart/form-data) /photos/{id=%v} (title,thumb,file,raw)", [
    z.string(),
    z.string(),
    z.file().optional(),
    stream("image/png"),
    stream(),
  ], [z.string()]),
  Tagged: rest("PUT(multipart/form-data) /photos (file,If-Match:)", [stream(), z.string()]),
});

Deno.test("openapi() tells which parts of a form are streams", () => {
  const { paths, components } = openapi(album);
  const { content } = paths["/photos/{id}"].post.requestBody!;
  assertEquals(Object.keys(content), ["multipart/form-data"]);
  const { properties, required } = components.schemas.AddRequest;
  assertEquals([Object.keys(Object(properties)), required], [["title", "thumb", "file", "raw"], [
    "title",
    "file",
    "raw",
  ]]);
  assertEquals(Object(properties).file, {
    type: "string",
    contentMediaType: "image/png",
    format: "binary",
    "x-gantry-kind": "stream",
  });
  const page = docsPage(openapi(album));
  assertStringIncludes(page, 'id="Add-part-file"');
  assert(page.indexOf('id="Add-part-title"') < page.indexOf('id="Add-part-file"'), "the page sends streams last");
});

Deno.test("clientModule() sends a Blob as a streamed part of a form", async () => {
  assertStringIncludes(clientTypes(album), "thumb: File | undefined, file: Blob, raw: Blob, options?: CallOptions");
  const serve = handler(
    null,
    implement(album, {
      Add: async (_id, title, _thumb, file, raw) =>
        `${title} ${await new Response(file).text()} ${await new Response(raw).text()}`,
      Tagged() {},
    }),
  );
  const { connect } = await import(`data:text/javascript,${encodeURIComponent(clientModule(album))}`);
  const client = connect("http://h", { fetch: serve });
  assertEquals(await client.Add("1", "sea", undefined, new Blob(["one"]), new File(["two"], "b")), "sea one two");
});

Deno.test("importOpenAPI() knows streamed parts of a form, and takes those of other documents as files", () => {
  const text = importOpenAPI(openapi(album));
  assertStringIncludes(
    text,
    'Add: rest("POST(multipart/form-data) /photos/{id=%v} (title,thumb,file,raw)", ' +
      '[z.string(), z.string(), z.file().optional(), stream("image/png"), stream()], [z.string()])',
  );
  assertStringIncludes(
    text,
    'Tagged: rest("PUT(multipart/form-data) /photos (file,If-Match:)", [stream(), z.string()], [])',
  );
  const binary = { type: "string", format: "binary" };
  const schema = (properties: unknown) => ({
    openapi: "3.1.0",
    info: { title: "x", version: "1" },
    paths: {
      "/x": { post: { operationId: "X", requestBody: { content: { "multipart/form-data": { schema: properties } } } } },
    },
  });
  const foreign = importOpenAPI(schema({ type: "object", properties: { file: binary } }));
  assertStringIncludes(foreign, 'rest("POST(multipart/form-data) /x", [z.object({ file: z.file().optional() })');
  const odd = { type: "object", properties: { "a b": { ...binary, "x-gantry-kind": "stream" } } };
  assertStringIncludes(importOpenAPI(schema(odd)), "z.file()");
});

Deno.test("mock() and conform() answer and send forms with files and streams", async () => {
  const fetch = handler(null, mock(album));
  const { calls, failures, untried } = await conform(album, "http://h", {
    client: { fetch },
    operations: ["Add", "Tagged"],
  });
  assertEquals([calls, failures, untried], [41, [], []]);
  assertEquals(typeof await link(album, "http://h", { fetch }).Add("1", "a", undefined, "b", "c"), "string");
});
