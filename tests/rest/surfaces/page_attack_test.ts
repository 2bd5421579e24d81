/** The page does not run what names, descriptions, values and answers hold, and its own parts stay its own. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, chan, handler, implement, rest, stream } from "../../../lib/rest/mod.ts";
import { surfaces } from "../../../lib/rest/surfaces.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

/** Texts that would set `window.attacked`, each in another context: element, attribute, script, comment, template, style, URL. */
const ATTACKS = [
  "</title></script><script>attacked=1</script>",
  "\"'><img src=x onerror=attacked=1>",
  "`</code><svg onload=attacked=1>`",
  "--><!--</textarea></style><script>attacked=1</script>",
  "${attacked=1}</pre></option></select><iframe srcdoc='<script>parent.attacked=1</script>'>",
  "javascript:attacked=1",
];
const all = ATTACKS.join(" ");

const Evil = z.object({
  [all]: z.string().describe(all).meta({ examples: [all] }),
  list: z.enum(ATTACKS),
  union: z.union([z.object({ tag: z.literal(all) }), z.object({ tag: z.literal("b"), [all]: z.string() })]),
}).meta({ id: "Evil", title: all, description: all });

const evil = api(
  "http://localhost",
  Object.fromEntries([
    ...ATTACKS.map((name, index) => [
      `a${index}${name.replaceAll(".", "")}`,
      rest("POST /a" + index as string, [Evil], [Evil], { description: all }),
    ]),
    ["Page", rest("GET /page", [], [stream("image/svg+xml")], { description: all })],
    ["Text", rest("GET /text?q=%v", [z.string().default(all)], [stream("text/html")])],
    ["Live", rest("GET /live", [], [chan(z.string())])],
    ["Flood", rest("GET /flood", [], [chan(z.number())])],
  ]),
  { title: all },
);
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="attacked=1"><script>attacked=1</script></svg>';
const functions = implement(evil, {
  ...Object.fromEntries(evil.plans.map(({ name }) => [name, (value: unknown) => value])),
  Page: () => svg,
  Text: () => all,
  async *Live() {
    yield* ATTACKS;
  },
  async *Flood() {
    for (let n = 0; n < 10_000; n++) yield n;
  },
  // The names of operations are made above, so that their types are not known.
} as never);

shopTest(
  "docsPage() runs nothing of what a definition or an answer holds",
  async ({ page }) => {
    assertEquals(await page.title(), all);
    assertEquals(await page.locator("article[data-search]").count(), 10);
    for (const id of ["Page", "Text", "Live", "Flood"]) {
      const article = page.locator(`article#${id}`);
      await article.locator("[type=submit]").first().click();
      await article.locator("[type=submit]:enabled").waitFor();
    }
    await page.locator("#Page .preview img").waitFor();
    assertEquals(await page.locator("#Text pre.body").textContent(), all);
    assertEquals(
      await page.locator("#Live .values pre").allTextContents(),
      ATTACKS.map((text) => JSON.stringify(text)),
    );
    // The last values of a channel that never waits are in sight, and the page has held out.
    assertEquals(await page.locator("#Flood .count").textContent(), "10000 values");
    assertEquals(await page.locator("#Flood .values li").count(), 200);
    assertEquals(await page.locator("#Flood .values pre").last().textContent(), "9999");
    for (const code of await page.locator("[data-code]").all()) {
      await code.locator("summary").click();
      for (const choice of await code.locator("input").all()) await choice.check({ force: true });
      assertStringIncludes(await code.locator("pre").textContent() ?? "", "await client");
    }
    for (const selector of ["main iframe", "main svg", "main img:not(.preview img)", "main script"]) {
      assertEquals(await page.locator(selector).count(), 0, selector);
    }
    assertEquals(await page.evaluate("typeof attacked"), "undefined");
  },
  false,
  handler(null, functions, { fallback: surfaces(evil) }),
);

const names = ["search", "list", "token", "headers", "menu", "top", "types", "operations", "theme"];
const plain = api(
  "x",
  Object.fromEntries(names.map((name) => [name, rest(`GET /${name}?q=%v` as string, [z.string()], [z.string()])])),
);
// Nor are the types of these.
const plainFunctions = implement(
  plain,
  Object.fromEntries(names.map((name) => [name, (q: unknown) => `${name} ${q}`])) as never,
);

shopTest(
  "docsPage() links to operations that are named like its own parts, also to those that a search has left out",
  async ({ page }, origin) => {
    for (const name of names) {
      const tags = await page.evaluate(
        `[...document.querySelectorAll('[id="${name}"]')].map(({ tagName }) => tagName)`,
      );
      assertEquals(tags, ["ARTICLE"], name);
    }
    await page.goto("about:blank");
    await page.goto(`${origin}/#theme`);
    const inSight = () =>
      page.evaluate(`(() => {
      const { top } = document.getElementById(location.hash.slice(1)).getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    })()`);
    assertEquals(await inSight(), true, "from elsewhere");
    await page.locator("#page-search").fill("menu");
    assertEquals(await page.locator("article[data-search]:visible").count(), 1);
    await page.evaluate('location.hash = "token"');
    await page.locator("article#token").waitFor({ state: "visible" });
    assertEquals(await inSight(), true);
    await page.fill("#search-query-q", "a b");
    await page.locator("article#search [type=submit]").click();
    await page.locator("article#search pre.body").waitFor();
    assertEquals(await page.locator("article#search pre.body").textContent(), "search a b");
  },
  false,
  handler(null, plainFunctions, { fallback: surfaces(plain) }),
);
