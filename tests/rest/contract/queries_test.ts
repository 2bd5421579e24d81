import { assertEquals, assertRejects } from "@std/assert";
import { z } from "zod";
import { api, chan, error, handler, implement, int64, link, namespace, rest } from "../../../lib/rest/mod.ts";
import { queries } from "../../../lib/rest/contract/queries.ts";
import { runOk } from "../../fixtures/run.ts";

const shop = api("http://shop.example.com", {
  Price: rest("GET /prices/{id=%v}", [int64], [int64]),
  Orders: namespace({ Cancel: rest("DELETE /orders/{id=%v}", [z.string()]) }),
  Count: rest("GET /count?to=%v&from=%v", [z.int(), z.int().optional()], [chan(z.int())]),
  Divide: rest("GET /divide?a=%v&b=%v", [int64, int64], [int64, error]),
});
const cancelled: string[] = [];
const fetch = handler(
  null,
  implement(shop, {
    Price: (id) => id * 10n,
    Orders: { Cancel: (id) => void cancelled.push(id) },
    async *Count(to, from = 0) {
      for (let n = from; n < to; n++) yield n;
    },
    Divide(a, b) {
      if (b === 0n) throw new Error("no");
      return a / b;
    },
  }),
  { onError: () => {} },
);
const made = queries(shop, link(shop, "http://localhost", { fetch }));

Deno.test("queries() makes keys that JSON can express, and functions that call", async () => {
  const price = made.Price.query(7n);
  assertEquals(price.queryKey, ["http://shop.example.com", "Price", "7"]);
  assertEquals(JSON.parse(JSON.stringify(price.queryKey)), price.queryKey);
  const kept: bigint = await price.queryFn({});
  assertEquals(kept, 70n);
  assertEquals(made.Price.key(), ["http://shop.example.com", "Price"]);
  assertEquals(made.Count.query(3, undefined).queryKey, made.Count.query(3).queryKey);
});

Deno.test("queries() keeps all values of a channel, null of no result, and fails with an error result", async () => {
  const values: number[] = await made.Count.query(3, 1).queryFn({});
  assertEquals(values, [1, 2]);
  const nothing: null = await made.Orders.Cancel.mutation().mutationFn(["a"]);
  assertEquals([nothing, cancelled], [null, ["a"]]);
  await assertRejects(() => made.Divide.query(1n, 0n).queryFn({}), Error);
});

Deno.test("queries() ends a call by the query's signal", async () => {
  const waiting = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  const controller = new AbortController();
  const call = queries(shop, link(shop, "http://localhost", { fetch: waiting })).Price.query(1n).queryFn(controller);
  controller.abort(new Error("left"));
  await assertRejects(() => call, Error, "left");
});

Deno.test("queries() fit the QueryClient and MutationObserver of @tanstack/query-core", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-queries-" });
  try {
    await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module", "private": true }');
    const install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "@tanstack/query-core@5.108.0"];
    await runOk(install, { cwd: folder });
    const { QueryClient, MutationObserver } = await import(
      `file://${folder}/node_modules/@tanstack/query-core/build/modern/index.js`
    );
    const client = new QueryClient();
    assertEquals(await client.fetchQuery(made.Price.query(2n)), 20n);
    assertEquals(client.getQueryData(made.Price.key(2n)), 20n);
    await client.invalidateQueries({ queryKey: made.Price.key() });
    assertEquals(client.getQueryState(made.Price.key(2n)).isInvalidated, true);
    assertEquals(await client.fetchQuery(made.Count.query(2)), [0, 1]);
    assertEquals(await new MutationObserver(client, made.Orders.Cancel.mutation()).mutate(["b"]), null);
    assertEquals(cancelled.at(-1), "b");
    client.clear();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
