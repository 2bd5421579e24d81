/** Credentials on the page, and the client module, in a real browser. */
import { assertEquals } from "@std/assert";
import { basic, handler } from "../../../lib/rest/mod.ts";
import { surfaces } from "../../../lib/rest/surfaces.ts";
import { shop, shopFunctions, TOKEN } from "../../fixtures/rest/shop.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

shopTest("docsPage() sends a credential with every try, channels too", async ({ page }) => {
  const add = page.locator("article#Add");
  await page.fill("#Add-query-a", "1");
  await page.fill("#Add-query-b", "2");
  await add.getByRole("button", { name: "Send" }).click();
  await add.locator(".answer .status.bad").waitFor();
  await page.getByLabel("Token").fill(TOKEN);
  await add.getByRole("button", { name: "Send" }).click();
  await add.locator(".answer .status.good").waitFor();
  const watch = page.locator("article#Watch");
  await page.fill("#Watch-query-count", "2");
  for (const transport of ["lines", "events", "websocket"]) {
    if (transport === "events") {
      for (const _ of "12") await page.evaluate(`fetch("/stock/follow?to=1", ${GUARDED})`);
    }
    await page.selectOption("#Watch-transport", transport);
    await watch.getByRole("button", { name: "Open" }).click();
    await watch.locator(".status", { hasText: "Closed" }).waitFor();
    assertEquals(await watch.locator(".count").textContent(), "2 values", transport);
  }
}, true);

const GUARDED = `{ headers: { accept: "text/event-stream", authorization: "Bearer ${TOKEN}" } }`;

const auth = basic((name, password) => name === "ann" && password === "pass:wörd" ? name : undefined);

shopTest(
  "docsPage() sends a name and a password with every try, channels too",
  async ({ page }) => {
    await page.fill("#page-user", "ann");
    const watch = page.locator("article#Watch");
    await page.fill("#Watch-query-count", "2");
    await page.selectOption("#Watch-transport", "websocket");
    await watch.getByRole("button", { name: "Open" }).click();
    await watch.locator(".answer .status.bad", { hasText: "401" }).waitFor();
    await page.fill("#page-password", "pass:wörd");
    for (const transport of ["websocket", "lines", "events"]) {
      await page.selectOption("#Watch-transport", transport);
      await watch.getByRole("button", { name: "Open" }).click();
      await watch.locator(".answer .status", { hasText: "Closed" }).waitFor();
      assertEquals(await watch.locator(".count").textContent(), "2 values", transport);
    }
  },
  true,
  handler(auth, shopFunctions, { fallback: surfaces(shop, { auth }) }),
);

shopTest("clientModule() is imported by a browser from the root, and calls", async ({ page }, origin) => {
  // The page's own policy forbids other modules: one without it imports.
  await page.goto(`${origin}/openapi.json`);
  const seen = await page.evaluate(
    `import("${origin}/").then(async ({ default: shop, Add, Watch, WriteFile, ReadFile }) => {
    const ids = [];
    for await (const item of await Watch(3)) ids.push(item.id + typeof item.stock + (item.added instanceof Date));
    for await (const item of await Watch(3, { websocket: true })) ids.push(item.id);
    for await (const item of await Watch(100000, { websocket: true })) if (item.id === "2") break;
    let failure;
    try {
      for await (const _ of await Watch(20, { websocket: true }));
    } catch (error) {
      failure = String(error);
    }
    return { sum: String(await Add(9007199254740993n, 1n)), ids, failure,
      wrote: String(await WriteFile("b/file", new Blob(["hello"]))), read: await new Response(await ReadFile("b/file")).text(),
      failed: await shop.GetItem("none").catch((error) => [error.name, error.status]),
      search: JSON.parse((await shop.SearchItems({ tag: ["a", "b"], price: { to: 3 } }))[0].id) };
  }).catch((error) => ({ error: String(error) }))`,
  );
  assertEquals(seen, {
    sum: "9007199254740994",
    ids: ["0biginttrue", "1biginttrue", "2biginttrue", "0", "1", "2"],
    failure: "Error: Read a channel: closed with 1011: Watch: thirteen is unlucky",
    wrote: "5",
    read: "hello",
    failed: ["APIError", 404],
    search: { tag: ["a", "b"], price: { to: 3 } },
  });
});

shopTest(
  "clientModule() of an API that wants a credential reads channels in every way",
  async ({ page }, origin) => {
    await page.goto(`${origin}/openapi.json`);
    const seen = await page.evaluate(`(async () => {
    const { connect } = await import("${origin}/client.js");
    const shop = connect("${origin}", { headers: { authorization: "Bearer ${TOKEN}" } });
    const read = async (channel) => {
      const seen = [];
      try {
        for await (const value of await channel) seen.push(value.id ?? value);
      } catch (error) {
        seen.push(error.message);
      }
      return seen.slice(-3).join(" ");
    };
    const level = String(await shop.Stock.Level("four"));
    // The first two bodies break off, and are resumed with the credential.
    const resumed = await read(shop.Stock.Follow(7, { events: true }));
    const ways = [{}, { events: true }, { websocket: true }];
    const failed = [];
    for (const way of ways) failed.push(await read(shop.Watch(20, way)));
    const whole = [];
    for (const way of ways) whole.push(await read(shop.Stock.Follow(5, way)));
    const stranger = connect("${origin}");
    const refused = [];
    for (const way of ways) refused.push(await read((async () => stranger.Watch(1, way))()));
    const digest = await read((async () => shop.Watch(1, { websocket: true, headers: { authorization: "Digest x" } }))());
    return { level, resumed, failed, whole, refused, digest };
  })().catch((error) => ({ error: String(error) }))`);
    assertEquals(seen, {
      level: "4",
      resumed: "5 6 7",
      failed: [
        "11 12 Read a channel: Watch: thirteen is unlucky",
        "11 12 Read a channel: Watch: thirteen is unlucky",
        "11 12 Read a channel: closed with 1011: Watch: thirteen is unlucky",
      ],
      whole: ["3 4 5", "3 4 5", "3 4 5"],
      refused: [
        "Authenticate: a bearer token is required",
        "Authenticate: a bearer token is required",
        "Read a channel: closed with 1006",
      ],
      digest: "Open a WebSocket: a browser sends no credential but a bearer token or a password",
    });
  },
  true,
);
