/** The bookshop's page in a real browser, as a reader uses it. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import shop from "../../../docs/examples/bookshop.ts";
import { runOk } from "../../fixtures/run.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

const ISBN = "9780140328721";
const COVER = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60"/></svg>';

shopTest(
  "the bookshop's page sends files, shows a cover, follows prices, and its samples of code run",
  async ({ page }, origin) => {
    await page.fill("#page-token", "staff-token");
    const send = async (id: string) => {
      const article = page.locator(`article#${id}`);
      await article.locator("[type=submit]").click();
      await article.locator("[type=submit]:enabled").waitFor();
      return (await article.locator(".answer .status").textContent())?.slice(0, 3);
    };
    assertEquals(await send("AddBook"), "201");
    await page.fill("#PutCover-path-isbn", ISBN);
    await page.fill("#PutCover-body", COVER);
    assertEquals(await send("PutCover"), "200");
    await page.fill("#GetCover-path-isbn", ISBN);
    assertEquals(await send("GetCover"), "200");
    const decoded =
      `(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector(".preview img"))`;
    await page.locator("#GetCover .preview img").waitFor();
    assertEquals(await page.evaluate(decoded), 90);
    assertStringIncludes(await page.locator("#GetCover .note").textContent() ?? "", " bytes of image/svg+xml");

    await page.selectOption("#PlaceOrder [data-samples]", { label: "Voucher" });
    assertEquals(await send("PlaceOrder"), "404");
    await page.fill("#PlaceOrder-body", (await page.inputValue("#PlaceOrder-body")).replace('"text"', `"${ISBN}"`));
    assertEquals(await send("PlaceOrder"), "201");
    await page.fill("#ExportOrders-query-since", "2020-01-01T00:00:00Z");
    assertEquals(await send("ExportOrders"), "200");
    assertMatch(
      await page.locator("#ExportOrders pre.body").textContent() ?? "",
      new RegExp(`^id,isbn.*\\n1,${ISBN},`),
    );
    // Version 1 answers with titles: the page knows that the operation is only there.
    assertEquals(await send("ListTitles"), "200");
    assertStringIncludes(await page.locator("#ListTitles pre.body").textContent() ?? "", '"Fantastic Mr Fox"');

    await followPrices(page, origin);
    await runSamples(page, origin);
  },
  false,
  (request) => shop.fetch(request),
);

type Page = Parameters<Parameters<typeof shopTest>[1]>[0]["page"];

/** Follows a channel that stands still when it is told to. */
async function followPrices(page: Page, origin: string): Promise<void> {
  const prices = page.locator("article#Prices");
  const setPrice = async (cents: number) => {
    const response = await fetch(`${origin}/books/${ISBN}/price?cents=${cents}`, {
      method: "PUT",
      headers: { authorization: "Bearer staff-token" },
    });
    assertEquals(response.status, 200, await response.text());
  };
  const shown = async () =>
    (await prices.locator(".values pre").allTextContents()).map((text) => JSON.parse(text).cents);
  await page.fill("#Prices-path-isbn", ISBN);
  await prices.getByRole("button", { name: "Open" }).click();
  await prices.locator(".values li").first().waitFor();
  assertMatch(await prices.locator(".values time").first().textContent() ?? "", /^\d\d:\d\d:\d\d\.\d{3}$/);
  await prices.getByRole("button", { name: "Pause" }).click();
  await setPrice(1100);
  await prices.locator(".count", { hasText: "2 values" }).waitFor();
  assertEquals(await shown(), [0]);
  await prices.getByRole("button", { name: "Go on" }).click();
  assertEquals(await shown(), [0, 1100]);
  assertMatch(await prices.locator(".values small").last().textContent() ?? "", /^\+/);
  await prices.getByRole("button", { name: "Clear" }).click();
  assertEquals(await shown(), []);
  await setPrice(1200);
  await prices.locator(".values li").first().waitFor();
  assertEquals(await shown(), [1200]);
  await prices.getByRole("button", { name: "Stop" }).click();
  await prices.locator(".answer .status", { hasText: "Stopped" }).waitFor();
}

/** Chooses samples by the keyboard, and runs them. */
async function runSamples(page: Page, origin: string): Promise<void> {
  const code = page.locator("#GetBook [data-code]");
  // The browser tells the page of a choice in a turn of its own.
  const sample = async (word: string) => await code.locator("pre", { hasText: word }).textContent() ?? "";
  await page.fill("#GetBook-path-isbn", ISBN);
  await code.locator("summary").press("Enter");
  await code.locator("input[value=curl]").focus();
  const curl = await sample("curl ");
  assertStringIncludes(await runOk(["sh", "-c", `${curl} --silent`]), "Fantastic Mr Fox");

  await page.keyboard.press("ArrowRight");
  const lines: unknown[][] = [];
  const run = new Function("console", `return (async () => {${await sample("fetch(")}})()`);
  await run({ log: (...values: unknown[]) => lines.push(values) });
  assertEquals(lines.map(([status, book]) => [status, (book as { title: string }).title]), [[200, "Fantastic Mr Fox"]]);

  await page.keyboard.press("ArrowRight");
  const text = await sample("import ");
  assertStringIncludes(text, `import { connect } from "${origin}/client.js";`);
  assertStringIncludes(text, 'const result = await client.GetBook("text");');
  const module = text.replace(/import (.*) from (.*);/, "const $1 = await import($2);").replace('"text"', `"${ISBN}"`);
  // The page's own policy forbids other modules: one without it imports.
  await page.goto(`${origin}/openapi.json`);
  assertEquals(await page.evaluate(`(async () => {${module}; return result.title; })()`), "Fantastic Mr Fox");
}
