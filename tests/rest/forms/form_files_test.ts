/** Files in forms, of each library of schemas. */
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "../../fixtures/zod.ts";
import { api, handler, implement, link, rest } from "../../../lib/rest/mod.ts";
import { openapi } from "../../../lib/rest/surfaces.ts";

Deno.test("a file of a form may be a file of zod, valibot or arktype, or an instance of its class", async () => {
  const schemas = {
    file: z.object({ title: z.string(), file: z.file() }),
    instance: z.object({ title: z.string(), file: z.instanceof(File) }),
    valibot: toStandardJsonSchema(v.object({ title: v.string(), file: v.file() })),
    class: toStandardJsonSchema(v.object({ title: v.string(), file: v.instance(File) })),
    arktype: type({ title: "string", file: "File" }),
  };
  for (const [name, schema] of Object.entries(schemas)) {
    // The types of several libraries are one here.
    const Form = schema as unknown as typeof schemas.file;
    const album = api("http://x", { Add: rest("POST(multipart/form-data) /photos", [Form], [z.string()]) });
    const serve = handler(null, implement(album, { Add: async ({ title, file }) => title + await file.text() }));
    const client = link(album, "http://x", { fetch: serve });
    assertEquals(await client.Add({ title: "1", file: new File(["2"], "a") }), "12", name);
    const { properties } = openapi(album).components.schemas.AddRequest;
    assertEquals(Object(properties).file.format, "binary", name);
  }
});
