import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import type { Codec } from "../../../lib/rest/mod.ts";
import { api, exactJSON, handlerWith, implement, rest } from "../../../lib/rest/server.ts";
import { SERVER_PARTS } from "../../../lib/rest/handler.ts";

const Note = z.object({ text: z.string(), at: z.number().optional() });

/** Serves unchecked results, with or without short ways; `codec` writes JSON. */
function serveTrusted(make: () => unknown, options: { isQuick: boolean; codec?: Codec; schema?: z.ZodType }) {
  const { isQuick, codec = exactJSON, schema = Note } = options;
  const definition = api("x", { Get: rest("GET /note", [], [schema]) }, { trusted: true });
  const parts = { ...SERVER_PARTS, codecs: [codec], quick: isQuick ? SERVER_PARTS.quick : undefined };
  const serve = handlerWith(parts, null, implement(definition, { Get: make as () => never }), { onError() {} });
  return async (method = "GET") => {
    const response = await serve(new Request("http://localhost/note", { method }));
    return { status: response.status, headers: [...response.headers], body: await response.text() };
  };
}

/** Values that a function may return against its type: unchecked results go out whatever they are. */
function oddValues(): Record<string, () => unknown> {
  class Stamp {
    text = "x";
    writeHeadersHTTP(headers: Headers) {
      headers.set("x-at", "noon");
    }
  }
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  return {
    "what fits": () => ({ text: "x" }),
    "a field more": () => ({ text: "x", password: "y" }),
    "a class": () => new Stamp(),
    "an object that writes headers": () => ({ text: "x", writeHeadersHTTP: (all: Headers) => all.set("x-at", "noon") }),
    "a response": () => new Response("own", { status: 418 }),
    "a date within": () => ({ text: "x", at: new Date(0) }),
    "a bigint within": () => ({ text: "x", at: 2n ** 64n }),
    "a circle": () => circle,
    "toJSON": () => ({ toJSON: () => ({ text: "y" }) }),
    "toJSON without a value": () => ({ toJSON: () => undefined }),
    "fields of a prototype": () => Object.create({ text: "x" }),
    "no prototype": () => Object.assign(Object.create(null), { text: "x" }),
    "a list": () => [{ text: "x" }],
    "a text": () => "x",
    "a number": () => 7,
    "null": () => null,
    "nothing": () => undefined,
    "a promise": () => Promise.resolve({ text: "x" }),
    "a failure": () => {
      throw new RangeError("no");
    },
    "a getter that fails": () => ({
      get text() {
        throw new RangeError("no");
      },
    }),
  };
}

Deno.test("quickPaths answer with an unchecked result as servers without them do, whatever it is", async () => {
  for (const [name, make] of Object.entries(oddValues())) {
    for (const method of ["GET", "HEAD"]) {
      const quick = await serveTrusted(make, { isQuick: true })(method);
      assertEquals(quick, await serveTrusted(make, { isQuick: false })(method), `${method} of ${name}`);
    }
  }
});

Deno.test("quickPaths make a response of an unchecked object without its codec, where that writes as JSON.stringify does", async () => {
  let encoded = 0;
  const counting: Codec = {
    ...exactJSON,
    encode(value, context) {
      encoded++;
      return exactJSON.encode(value, context);
    },
  };
  const make = () => ({ text: "x" });
  const { status, body } = await serveTrusted(make, { isQuick: true, codec: counting })();
  assert(status === 200 && body === '{"text":"x"}' && encoded === 0, `${status} ${body}, encoded ${encoded} times`);
  // A kind that cannot be told may hold anything, as may what another codec writes.
  await serveTrusted(make, { isQuick: true, codec: counting, schema: z.object({ text: z.any() }) })();
  assertEquals(encoded, 1);
  await serveTrusted(make, { isQuick: true, codec: { ...counting, stringifies: undefined } })();
  assertEquals(encoded, 2);
});

Deno.test("quickPaths put the headers of an API's function on every answer as servers without them do, and call it once", async () => {
  const forms: Record<string, () => HeadersInit> = {
    "a record": () => ({ "X-One": "1", "x-two": "2" }),
    "a record that replaces": () => ({ "Content-Type": "application/note+json" }),
    "names that differ in case alone": () => ({ "X-One": "1", "x-one": "2", "X-ONE": "3" }),
    "vary": () => ({ Vary: "accept", "x-one": "1" }),
    "a cookie": () => ({ "Set-Cookie": "a=1" }),
    "a list": () => [["set-cookie", "a=1"], ["set-cookie", "b=2"], ["x-one", "1"]],
    "headers": () => new Headers({ "x-one": "1" }),
    "an odd name": () => JSON.parse('{ "__proto__": "x", "constructor": "y" }'),
    "nothing": () => ({}),
    "what is no header": () => ({ "x-one": "line\nend" }),
  };
  for (const [form, headers] of Object.entries(forms)) {
    const answers = async (quick: typeof SERVER_PARTS.quick) => {
      let calls = 0;
      const counted = () => {
        calls++;
        return headers();
      };
      const definition = api("x", {
        Get: rest("GET /note", [], [Note]),
        Make: rest("POST /note", [], [Note], { status: 201 }),
        Drop: rest("DELETE /note"),
      }, { headers: counted });
      const note = () => ({ text: "x" });
      const served = implement(definition, { Get: note, Make: note, Drop: () => {} });
      const serve = handlerWith({ ...SERVER_PARTS, quick }, null, served, { onError() {} });
      const made = [];
      for (
        const [method, path] of [["GET", "note"], ["HEAD", "note"], ["POST", "note"], ["DELETE", "note"], [
          "GET",
          "none",
        ]]
      ) {
        const response = await serve(new Request(`http://localhost/${path}`, { method }));
        made.push([response.status, [...response.headers], await response.text()]);
      }
      return { made, calls };
    };
    const quick = await answers(SERVER_PARTS.quick);
    const long = await answers(undefined);
    assertEquals(quick.made, long.made, form);
    if (form !== "what is no header") assertEquals(quick.calls, 5, form);
  }
});
