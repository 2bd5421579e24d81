/** The page itself in a real browser: search, sizes, colours, names. */
import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, rest } from "../../../lib/rest/mod.ts";
import { surfaces } from "../../../lib/rest/surfaces.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

shopTest("docsPage() searches, by the keyboard too", async ({ page }) => {
  await page.keyboard.press("/");
  await page.keyboard.type("items post");
  assertEquals(await page.locator("article[data-search]:visible").count(), 2);
  assertEquals(await page.locator("nav li:visible").count(), 2);
  assertEquals(await page.locator("#page-found").textContent(), "2 operations");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#CreateItem$/);
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assertEquals(await page.locator("article[data-search]:visible").count(), 23);
});

shopTest("docsPage() shows its list on demand on a narrow screen, and is no wider than it", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const add = page.locator("nav").getByRole("link", { name: "Add" });
  assertEquals(await add.isVisible(), false);
  await page.getByRole("button", { name: "List" }).click();
  await add.click();
  assertEquals(await add.isVisible(), false);
  await page.waitForURL(/#Add$/);
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

shopTest(
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

shopTest("docsPage() is light or dark as the reader likes, and remembers it", async ({ page }) => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await ground();
  await page.click("#page-theme");
  const dark = await ground();
  assert(light !== dark);
  await page.reload();
  assertEquals(await ground(), dark);
});

shopTest("docsPage() gives every control a name, headings an order, and text enough contrast", async ({ page }) => {
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
