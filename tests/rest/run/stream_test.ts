import { assert, assertEquals, assertRejects } from "@std/assert";
import { api, handler, HTTPError, implement, implementPart, link, rest, stream } from "../../../lib/rest/mod.ts";
import { z } from "../../fixtures/zod.ts";

const files = api("files.example.com", {
  Read: rest("GET /read/{what=%v}", [z.string()], [stream("text/plain")]),
  Write: rest("POST /write", [stream()], [z.string()]),
});

let returned = 0;
const serve = handler(
  null,
  implement(files, {
    async *Read(what) {
      if (what === "nothing") return;
      if (what === "late") throw new HTTPError(404, "Read: it is not there");
      try {
        for (let n = 0;; n++) {
          if (what === "broken" && n === 2) throw new Error("it breaks");
          if (n === 3 && what === "three") return;
          yield n % 2 === 0 ? `é${n};` : new TextEncoder().encode(`${n};`);
        }
      } finally {
        returned++;
      }
    },
    Write: async (body) => await new Response(body).text(),
  }),
);
const client = link(files, "http://localhost", { fetch: serve });

Deno.test("stream() takes what a generator yields, bytes and text", async () => {
  const response = await serve(new Request("http://localhost/read/three"));
  assertEquals([response.headers.get("content-type"), await response.text()], ["text/plain", "é0;1;é2;"]);
  assertEquals(await new Response(await client.Read("nothing")).text(), "");
});

Deno.test("stream() of pieces that fail at once has the status of the failure", async () => {
  const error = await client.Read("late").catch((error) => error);
  assertEquals([error.status, error.message], [404, "Read: it is not there"]);
  await assertRejects(async () => await new Response(await client.Read("broken")).text());
});

Deno.test("stream() returns a generator nobody reads on, and reads no further than asked", async () => {
  const before = returned;
  const reader = (await client.Read("forever")).getReader();
  await reader.read();
  await reader.cancel();
  assertEquals(returned, before + 1);
});

Deno.test("stream() arguments may be generators, and results are iterated", async () => {
  async function* pieces() {
    yield "one ";
    await Promise.resolve();
    yield new TextEncoder().encode("two");
  }
  assertEquals(await client.Write(pieces()), "one two");
  let text = "";
  for await (const piece of await client.Read("three")) text += new TextDecoder().decode(piece);
  assertEquals(text, "é0;1;é2;");
  const numbers = async function* () {
    yield await Promise.resolve(1);
  };
  // @ts-expect-error numbers are no pieces
  const wrong = () => client.Write(numbers());
  assert(wrong);
});

Deno.test("defect: stream() of pieces that fail in the middle is told to onError", async () => {
  const told: unknown[] = [];
  const functions = implementPart(files, {
    async *Read(what, { signal }) {
      yield await Promise.resolve("one");
      // A peer that leaves is no failure of the server's.
      while (what === "wait" && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
      throw new Error("it breaks");
    },
  });
  const serve = handler(null, functions, { onError: (error, { name }) => told.push(`${name}: ${error}`) });
  await assertRejects(
    async () => await (await serve(new Request("http://localhost/read/a"))).text(),
    Error,
    "it breaks",
  );
  assertEquals(told, ["Read: Error: it breaks"]);
  const reader = (await serve(new Request("http://localhost/read/wait"))).body!.getReader();
  await reader.read();
  reader.read().catch(() => {});
  await reader.cancel();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(told.length, 1);
});
