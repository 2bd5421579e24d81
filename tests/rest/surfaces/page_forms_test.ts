/** The forms of the page in a real browser. */
import { Buffer } from "node:buffer";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { breakOff, serveShop } from "../../fixtures/rest/shop.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

shopTest("docsPage() is shown on the root to a browser, in one request", async ({ page }) => {
  assertEquals(await page.title(), "Shop");
  assertEquals(await page.locator("article[data-search]").count(), 23);
  assertEquals(await page.evaluate("performance.getEntriesByType('resource').length"), 0);
});

shopTest("docsPage() sends what a form says and shows what comes back", async ({ page }) => {
  const add = page.locator("article#Add");
  await add.getByLabel("a*").fill("9007199254740993");
  await add.getByLabel("b*").fill("1");
  await add.getByRole("button", { name: "Send" }).click();
  await add.locator("pre.body").waitFor();
  assertEquals(await add.locator("pre.body").textContent(), "9007199254740994");
  assertMatch(await add.locator(".status").last().textContent() ?? "", /^200/);
});

shopTest("docsPage() tries bodies, paths with slashes, lists and files", async ({ page }) => {
  const answer = async (id: string) => {
    const article = page.locator(`article[id="${id}"]`);
    await article.locator(".try [type=submit]").click();
    await article.locator(".answer .status").waitFor();
    await article.locator("[type=submit]:enabled").waitFor();
    return `${await article.locator(".answer .status").textContent()} ${await article.locator(".answer")
      .textContent()}`;
  };
  await page.fill("#CreateItem-body", '{"title":"Lamp","price":12.5}');
  const created = await answer("CreateItem");
  assertStringIncludes(created, "201");
  assertStringIncludes(created, '"title": "Lamp"');
  assertStringIncludes(created, '"stock": 9007199254740993');
  await page.fill("#SearchItems-query-tag", "one\ntwo & three");
  await page.selectOption("#SearchItems-query-state", "used");
  assertStringIncludes(await answer("SearchItems"), String.raw`{\"state\":\"used\",\"tag\":[\"one\",\"two & three\"]}`);
  await page.fill("#WriteFile-path-path", "a/b c.txt");
  await page.setInputFiles("#WriteFile-file", {
    name: "x.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("twelve bytes"),
  });
  assertStringIncludes(await answer("WriteFile"), "12");
  await page.fill("#ReadFile-path-path", "a/b c.txt");
  assertStringIncludes(await answer("ReadFile"), "twelve bytes");
  await page.fill("#SendPictures-path-id", "7");
  await page.fill("#SendPictures-part-title", "Lamp");
  await page.fill("#SendPictures-part-tags", "old\nbrass");
  await page.check("#SendPictures-part-front");
  await page.setInputFiles(
    "#SendPictures-part-files",
    ["one", "two"].map((text) => ({
      name: `${text}.txt`,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    })),
  );
  const pictured = await answer("SendPictures");
  for (const part of ['"7"', "Lamp", "old+brass", "true", "one.txt: one", "two.txt: two"]) {
    assertStringIncludes(pictured, part);
  }
  await page.fill("#ByShelf-query-q", "x");
  assertStringIncludes(await answer("ByShelf"), "shelf x");
  await page.fill("#GetItem-path-id", "none");
  assertStringIncludes(await answer("GetItem"), "404");
  assertStringIncludes(await answer("delete"), "501");
});

for (const transport of ["lines", "events", "websocket"]) {
  shopTest(`docsPage() shows the values of a channel as they come, over ${transport}`, async ({ page }) => {
    const watch = page.locator("article#Watch");
    // The first two bodies break off.
    if (transport === "events") { for (const _ of "12") await page.evaluate(`fetch("/stock/follow?to=1", ${EVENTS})`); }
    await page.selectOption("#Watch-transport", transport);
    await page.fill("#Watch-query-count", "10");
    await watch.getByRole("button", { name: "Open" }).click();
    await watch.locator(".status", { hasText: "Closed" }).waitFor();
    assertEquals(await watch.locator(".values li").count(), 10);
    assertEquals(await watch.locator(".count").textContent(), "10 values");
    await page.fill("#Watch-query-count", "20");
    await watch.getByRole("button", { name: "Open" }).click();
    await watch.locator(".failed").waitFor();
    assertEquals(await watch.locator(".answer .status").textContent(), "Failed");
    assertMatch(await watch.locator(".failed").textContent() ?? "", /^Read a channel: .*thirteen is unlucky$/);
    assertEquals(await watch.locator(".values li").count(), 13);
  });
}

const EVENTS = `{ headers: { accept: "text/event-stream" } }`;

shopTest("docsPage() goes on with a channel of events where its connection broke off", async ({ page }) => {
  const follow = page.locator(`article[id="Stock.Follow"]`);
  await follow.getByLabel("Over").selectOption("events");
  await follow.getByLabel("to*").fill("7");
  await follow.getByRole("button", { name: "Open" }).click();
  await follow.locator(".status", { hasText: "Closed" }).waitFor();
  assertEquals(await follow.locator(".values pre").allTextContents(), ["1", "2", "3", "4", "5", "6", "7"]);
});

let asked = 0;
const broken = breakOff(serveShop({ guarded: false }), 1);

shopTest(
  "docsPage() keeps the values of a channel whose server is away for a while",
  async ({ page }) => {
    const follow = page.locator(`article[id="Stock.Follow"]`);
    await follow.getByLabel("Over").selectOption("events");
    await follow.getByLabel("to*").fill("7");
    await follow.getByRole("button", { name: "Open" }).click();
    await follow.locator(".status", { hasText: "Connecting again" }).waitFor();
    await follow.locator(".status", { hasText: "Closed" }).waitFor();
    assertEquals(await follow.locator(".values pre").allTextContents(), ["1", "2", "3", "4", "5", "6", "7"]);
    assertEquals(asked, 3);
    // A header that is none is told of, and nothing is sent without it.
    await page.locator("#page-credentials summary").click();
    await page.getByLabel("Headers that go with every request").fill("x-trace: a\nnone");
    await follow.getByRole("button", { name: "Open" }).click();
    await follow.locator(".failed", { hasText: `"none" is no "name: value"` }).waitFor();
    assertEquals(asked, 3);
  },
  false,
  (request, platform) => {
    if (!request.url.includes("/stock/follow")) return broken(request, platform);
    return ++asked === 2 ? Promise.resolve(new Response("away", { status: 503 })) : broken(request, platform);
  },
);

shopTest("docsPage() sends headers of the reader's choice with every request", async ({ page }, origin) => {
  await page.locator("#page-credentials summary").click();
  await page.getByLabel("Headers that go with every request").fill("X-Trace: a b\naccept: application/json");
  const sent = page.waitForRequest(`${origin}/everything`);
  await page.locator("article#delete .try [type=submit]").click();
  const headers = (await sent).headers();
  assertEquals([headers["x-trace"], headers.accept], ["a b", "application/json"]);
});
