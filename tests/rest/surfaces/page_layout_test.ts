/** The bookshop's page at the width of a telephone and of a small desk: nothing sticks out, and the main parts are there. */
import { assert, assertEquals } from "@std/assert";
import shop from "../../../docs/examples/bookshop.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

type Page = Parameters<Parameters<typeof shopTest>[1]>[0]["page"];

/** Shows all that the page has: cards out of sight, which a browser leaves out, and folds. */
const SHOW_ALL = `
  for (const card of document.querySelectorAll("article")) card.style.contentVisibility = "visible";
  for (const fold of document.querySelectorAll("details")) fold.open = true;
`;

/** The elements that stick out of the window or of their card, but for those within something that scrolls. */
const FIND_OUTSIDE = `
  [...document.querySelectorAll("body *")].filter((element) => {
    const { left, right, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0 || element.closest(".skip, .told, option")) return false;
    for (let outer = element.parentElement; outer; outer = outer.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(outer).overflowX)) return false;
      if (outer.matches("article")) {
        const card = outer.getBoundingClientRect();
        return left < card.left - 1 || right > card.right + 1;
      }
    }
    return left < -1 || right > innerWidth + 1;
  }).map((element) => element.outerHTML.slice(0, 120))
`;

shopTest(
  "the bookshop's page fits a window of 390 and of 1280 pixels",
  async ({ page }) => {
    await page.fill("#page-token", "staff-token");
    await page.locator("#AddBook [type=submit]").click();
    await page.locator("#AddBook .answer .status").waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate(SHOW_ALL);
      const widths = await page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      assertEquals(widths, [width, width]);
      assertEquals(await page.evaluate(FIND_OUTSIDE), [], `at ${width} pixels`);
      for (
        const part of ["h1", "#page-search", "#page-token", "#FindBooks h3", "#FindBooks [type=submit]", "#page-types"]
      ) {
        assert(await page.locator(part).first().isVisible(), `${part} is not visible at ${width} pixels`);
      }
      await checkSpaces(page);
    }
  },
  false,
  (request) => shop.fetch(request),
);

shopTest(
  "the bookshop's page has its list and its forms beside the text where there is room, and its list behind a button elsewhere",
  async ({ page }) => {
    const [list, about, side] = ["#page-list", "#AddBook .about", "#AddBook .side"].map((part) => page.locator(part));
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.locator("#AddBook").scrollIntoViewIfNeeded();
    assert(await list.isVisible());
    assertEquals(await page.locator("#page-menu").isVisible(), false);
    assert((await boxOf(list)).right <= (await boxOf(about)).left);
    assert((await boxOf(about)).right <= (await boxOf(side)).left);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("#AddBook").scrollIntoViewIfNeeded();
    assertEquals(await list.isVisible(), false);
    assert((await boxOf(about)).bottom <= (await boxOf(side)).top);
    await page.locator("#page-menu").click();
    await list.waitFor();
    await list.locator("a", { hasText: "Prices" }).click();
    await page.locator("#Prices h3").waitFor();
  },
  false,
  (request) => shop.fetch(request),
);

/** Parts that belong to different things do not touch. */
async function checkSpaces(page: Page): Promise<void> {
  const [path, versions] = [page.locator("#FindBooks .path code"), page.locator("#FindBooks .path small")];
  assert((await boxOf(path)).right + 4 <= (await boxOf(versions)).left, "the versions touch the path");
  const [file, text] = [page.locator("#PutCover [type=file]"), page.locator("#PutCover [type=file] + textarea")];
  assert((await boxOf(file)).bottom + 4 <= (await boxOf(text)).top, "the text of a body touches its file");
}

async function boxOf(part: ReturnType<Page["locator"]>) {
  const box = await part.boundingBox();
  if (!box) throw new Error(`Find the place of ${part}: it is not shown`);
  const { x, y, width, height } = box;
  return { left: x, top: y, right: x + width, bottom: y + height };
}
