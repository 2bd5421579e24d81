/**
 * `deno task generate`: makes modules of text of files in other languages, so that they can be imported from anywhere, and the page
 * of what works of the tests that show it. A test compares them with their files.
 *
 * @module
 */
import { browserModules } from "./generate/browser_modules.ts";
import { WORKS_PAGE, worksPage } from "./generate/works_page.ts";
import { perlModules } from "./generate/perl_modules.ts";

const root = new URL("../", import.meta.url);

/** Returns every generated file: its text by its path from the root. */
export async function generateModules(): Promise<Map<string, string>> {
  return new Map([...await perlModules(root), ...await browserModules(), [WORKS_PAGE, await worksPage(root)]]);
}

if (import.meta.main) {
  for (const [path, text] of await generateModules()) {
    const url = new URL(path, root);
    if (await Deno.readTextFile(url).catch(() => "") === text) continue;
    await Deno.writeTextFile(url, text);
    console.log(path);
  }
}
