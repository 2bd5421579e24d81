/** docs/security.md cites files and tests: each is there, so that the page cannot outlive what it says. */
import { assert, assertEquals } from "@std/assert";

const root = new URL("../../", import.meta.url);
const page = Deno.readTextFileSync(new URL("docs/security.md", root));
/** Code spans that are paths of this tree, some with the name of a test behind. A span may be broken between words. */
const cited = [...page.matchAll(/`((?:tests|lib|handlers|scripts)\/[\w./-]+\.ts)(?::\s([^`]+))?`/g)]
  .map(([, file, name]) => ({ file, name: name?.replace(/\s+/g, " ") }));

Deno.test("docs/security.md cites only files that exist, and tests by names that stand in them", () => {
  assert(cited.length > 60, "the page cites its tests");
  const wrong = cited.filter(({ file, name }) => {
    const text = read(file);
    return text === undefined || (name !== undefined && !text.replace(/\s+/g, " ").includes(name));
  });
  assertEquals(wrong, []);
});

Deno.test("docs/security.md has a test, or a plain word, for each class of attacks", () => {
  const classes = page.slice(page.indexOf("## Classes of attacks")).split("\n### ").slice(1);
  assert(classes.length > 10, "the page has its classes");
  const bare = classes.filter((text) =>
    !/`tests\/[^`]+: [^`]+`/.test(text) || !/CVE-20(1[6-9]|2[0-6])-\d{4,}/.test(text)
  );
  assertEquals(bare.map((text) => text.slice(0, text.indexOf("\n"))), []);
  assert(new Set(page.match(/CVE-20\d\d-\d{4,}/g)).size >= 60, "the page names sixty weaknesses");
});

function read(file: string): string | undefined {
  try {
    return Deno.readTextFileSync(new URL(file, root));
  } catch {
    return undefined;
  }
}
