/** Scalars that may be null: alone as JSON, left out of queries and forms. */
import { assertEquals } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import { api, handler, implement, link, rest } from "../../lib/rest/mod.ts";
import { JSON_TYPE, request } from "../fixtures/rest/serve.ts";

const text = z.string().nullable();
const number = z.number().nullable();
const Struct = z.object({ text, number, maybe: z.number().nullish() });
const definition = api("x", {
  Text: rest("POST /text", [text], [text]),
  Number: rest("POST /number", [number], [number]),
  Flag: rest("GET /flag", [], [z.boolean().nullable()]),
  Query: rest("GET /query?text=%v&number=%v", [text, number], [z.string()]),
  Spread: rest("GET /spread?%v", [Struct], [z.string()]),
  Form: rest("POST(application/x-www-form-urlencoded) /form", [Struct], [z.string()]),
  Parts: rest("POST(multipart/form-data) /parts", [Struct], [z.string()]),
});
const told = (value: unknown) => JSON.stringify(value);
const run = handler(
  null,
  implement(definition, {
    Text: (text) => text,
    Number: (number) => number,
    Flag: () => null,
    Query: (...[text, number]) => told([text, number]),
    Spread: told,
    Form: told,
    Parts: told,
  }),
);
const client = link(definition, "http://h", { fetch: run });

Deno.test("a lone scalar that may be null travels as JSON", async () => {
  for (const value of ["a", "null", "", null]) assertEquals(await client.Text(value), value);
  for (const value of [0, 1.5, null]) assertEquals(await client.Number(value), value);
  assertEquals(await client.Flag(), null);
  const response = await run(request("POST", "/text", "null", JSON_TYPE));
  assertEquals([await response.text(), response.headers.get("content-type")], ["null", "application/json"]);
});

Deno.test("null is left out of queries and forms, where a value that must be there and is not is null", async () => {
  assertEquals(await client.Query(null, null), "[null,null]");
  assertEquals(await client.Query("null", 0), '["null",0]');
  const nothing = { text: null, number: null };
  for (const call of [client.Spread, client.Form, client.Parts]) {
    assertEquals(JSON.parse(await call({ ...nothing, maybe: null })), nothing);
    assertEquals(JSON.parse(await call({ text: "null", number: 1, maybe: 2 })), { text: "null", number: 1, maybe: 2 });
  }
  assertEquals(await (await run(request("GET", "/query?text=null"))).text(), '["null",null]');
  assertEquals((await run(request("GET", "/query?number=null"))).status, 400);
});

Deno.test("a lone bigint or Date may be left out, with a default or without", async () => {
  const dates = api("x", {
    Since: rest("GET /since?at=%v&n=%v", [z.date().optional(), z.bigint().default(3n)], [z.string()]),
    Body: rest("POST(application/json) /body (at,n)", [z.date().optional(), z.bigint().optional()], [z.string()]),
  });
  const tell = (at: Date | undefined, n: bigint | undefined) => `${at?.getTime()} ${n}`;
  const fetch = handler(null, implement(dates, { Since: tell, Body: tell }));
  const caller = link(dates, "http://h", { fetch });
  const day = new Date("2026-11-27T00:00:00Z");
  assertEquals(await caller.Since(undefined, undefined), "undefined 3");
  assertEquals(await caller.Since(day, 2n ** 63n - 1n), `${day.getTime()} ${2n ** 63n - 1n}`);
  assertEquals((await fetch(request("GET", "/since?n=1.5"))).status, 400);
  assertEquals(await caller.Body(day, 7n), `${day.getTime()} 7`);
});
