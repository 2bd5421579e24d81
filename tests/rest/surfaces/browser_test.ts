/** The page and the client module in a real browser. */
import { Buffer } from "node:buffer";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { z } from "../../../handlers/wire/zod.ts";
import { api, basic, type Handler, handler, rest } from "../../../lib/rest/mod.ts";
import { surfaces } from "../../../lib/rest/surfaces.ts";
import { chromiumPath, type WatchedPage, withPage } from "../../fixtures/rest/chromium.ts";
import { breakOff, serveShop, shop, shopFunctions, TOKEN } from "../../fixtures/rest/shop.ts";

if (chromiumPath === undefined) console.log("left out: the page in a browser, as there is no Chromium here");

/** A test with the shop served and a page open; playwright keeps handles of its own, which it closes when it likes. */
function browserTest(
  name: string,
  run: (watched: WatchedPage, origin: string) => Promise<void>,
  guarded = false,
  other?: Handler,
): void {
  if (chromiumPath === undefined) return;
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const serve = other ?? breakOff(serveShop({ guarded }), 2);
      await using server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request) =>
          serve(request, {
            upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options),
          }),
      );
      const origin = `http://127.0.0.1:${server.addr.port}`;
      await withPage(origin, async (watched) => {
        await watched.page.goto(`${origin}/`);
        await run(watched, origin);
        // A browser tells of every WebSocket that is refused, which tests are about.
        assertEquals(watched.troubles.filter((text) => !/^WebSocket connection to/.test(text)), []);
      });
    },
  });
}

browserTest("docsPage() is shown on the root to a browser, in one request", async ({ page }) => {
  assertEquals(await page.title(), "Shop");
  assertEquals(await page.locator("article[data-search]").count(), 23);
  assertEquals(await page.evaluate("performance.getEntriesByType('resource').length"), 0);
});

browserTest("docsPage() sends what a form says and shows what comes back", async ({ page }) => {
  const add = page.locator("article#Add");
  await add.getByLabel("a*").fill("9007199254740993");
  await add.getByLabel("b*").fill("1");
  await add.getByRole("button", { name: "Send" }).click();
  await add.locator("pre.body").waitFor();
  assertEquals(await add.locator("pre.body").textContent(), "9007199254740994");
  assertMatch(await add.locator(".status").last().textContent() ?? "", /^200/);
});

browserTest("docsPage() tries bodies, paths with slashes, lists and files", async ({ page }) => {
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
  await page.selectOption("#SendPictures-part-front", "true");
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
  browserTest(`docsPage() shows the values of a channel as they come, over ${transport}`, async ({ page }) => {
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

browserTest("docsPage() goes on with a channel of events where its connection broke off", async ({ page }) => {
  const follow = page.locator(`article[id="Stock.Follow"]`);
  await follow.getByLabel("Over").selectOption("events");
  await follow.getByLabel("to*").fill("7");
  await follow.getByRole("button", { name: "Open" }).click();
  await follow.locator(".status", { hasText: "Closed" }).waitFor();
  assertEquals(await follow.locator(".values li").allTextContents(), ["1", "2", "3", "4", "5", "6", "7"]);
});

browserTest("docsPage() searches, by the keyboard too", async ({ page }) => {
  await page.keyboard.press("/");
  await page.keyboard.type("items post");
  assertEquals(await page.locator("article[data-search]:visible").count(), 2);
  assertEquals(await page.locator("nav li:visible").count(), 2);
  assertEquals(await page.locator("#found").textContent(), "2 operations");
  await page.keyboard.press("Enter");
  assertMatch(page.url(), /#CreateItem$/);
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assertEquals(await page.locator("article[data-search]:visible").count(), 23);
});

browserTest("docsPage() sends headers of the reader's choice with every request", async ({ page }, origin) => {
  await page.locator("#credentials summary").click();
  await page.getByLabel("Headers that go with every request").fill("X-Trace: a b\naccept: application/json");
  const sent = page.waitForRequest(`${origin}/everything`);
  await page.locator("article#delete .try [type=submit]").click();
  const headers = (await sent).headers();
  assertEquals([headers["x-trace"], headers.accept], ["a b", "application/json"]);
});

browserTest("docsPage() shows its list on demand on a narrow screen, and is no wider than it", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const add = page.locator("nav").getByRole("link", { name: "Add" });
  assertEquals(await add.isVisible(), false);
  await page.getByRole("button", { name: "List" }).click();
  await add.click();
  assertEquals(await add.isVisible(), false);
  assertMatch(page.url(), /#Add$/);
  assertEquals(await page.evaluate("document.documentElement.scrollWidth"), 360);
});

/** An API whose operations have from one to thirty parameters. */
const large = api(
  "x",
  Object.fromEntries(Array.from({ length: 120 }, (_, i) => {
    const fields = Array.from({ length: i % 30 + 1 }, (_, n) => [`field${n}`, z.string().optional()]);
    const tag: string = `GET /group${i % 6}/${i}?%v`;
    return [`Do${i}`, rest(tag, [z.object(Object.fromEntries(fields))], [z.string()])];
  })),
);

browserTest(
  "docsPage() of a large API goes where its list is clicked, and the list follows",
  async ({ page }) => {
    const list = page.locator("nav");
    assertEquals(await list.locator("li:visible").count(), 0);
    await list.getByText("group3").click();
    for (const id of ["Do117", "Do3", "Do63"]) {
      await list.locator(`a[data-for="${id}"]`).click();
      await list.locator(`a[data-for="${id}"][aria-current]`).waitFor();
      const top = await page.evaluate(`document.getElementById("${id}").getBoundingClientRect().top`);
      assertEquals(Math.round(Number(top)), 24, id);
    }
  },
  false,
  surfaces(large),
);

browserTest("docsPage() is light or dark as the reader likes, and remembers it", async ({ page }) => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await ground();
  await page.click("#theme");
  const dark = await ground();
  assert(light !== dark);
  await page.reload();
  assertEquals(await ground(), dark);
});

browserTest("docsPage() gives every control a name, headings an order, and text enough contrast", async ({ page }) => {
  const unnamed = await page.evaluate(`[...document.querySelectorAll("input:not([type=hidden]),select,textarea,button")]
    .filter((control) => !control.labels?.length && !control.getAttribute("aria-label") && !control.textContent.trim())
    .map((control) => control.outerHTML)`);
  assertEquals(unnamed, []);
  const jumps = await page.evaluate(`[...document.querySelectorAll("main h1,main h2,main h3,main h4")]
    .map((heading) => Number(heading.tagName[1])).filter((level, index, all) => index > 0 && level > all[index - 1] + 1)`);
  assertEquals(jumps, []);
  for (const theme of ["light", "dark"]) {
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    assertEquals(await page.evaluate(CONTRAST), [], theme);
  }
});

/** The texts whose contrast is below 4.5 (WCAG 2.2, 1.4.3). */
const CONTRAST = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const part = c[i] / 255;
    return sum + weight * (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
  const groundOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 255) break;
    }
    return layers.reverse().reduce((below, above) => above.map((part, i) => i === 3 ? 255 : part * above[3] / 255 + below[i] * (1 - above[3] / 255)));
  };
  const bad = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!own || ["SCRIPT", "STYLE"].includes(element.tagName) || !element.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(groundOf(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.add(element.tagName + "." + element.className + " " + ratio.toFixed(2) + " " + element.textContent.slice(0, 20));
  }
  return [...bad];
})()`;

browserTest("docsPage() sends a credential with every try, channels too", async ({ page }) => {
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

browserTest(
  "docsPage() sends a name and a password with every try, channels too",
  async ({ page }) => {
    await page.fill("#user", "ann");
    const watch = page.locator("article#Watch");
    await page.fill("#Watch-query-count", "2");
    await page.selectOption("#Watch-transport", "websocket");
    await watch.getByRole("button", { name: "Open" }).click();
    await watch.locator(".answer .status", { hasText: "Failed" }).waitFor();
    await page.fill("#password", "pass:wörd");
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

browserTest("clientModule() is imported by a browser from the root, and calls", async ({ page }, origin) => {
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

browserTest(
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
