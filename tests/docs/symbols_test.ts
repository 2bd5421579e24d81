/** The transport's public symbols are documented: each says what it is, and has an example, which the doc step of the tests runs. */
import { assertEquals } from "@std/assert";
import { runOk } from "../fixtures/run.ts";

const root = new URL("../../", import.meta.url).pathname;

/** What is used of the output of `deno doc --json`. */
interface Documented {
  readonly nodes: Record<string, { readonly symbols: readonly DocumentedSymbol[] }>;
}

interface DocumentedSymbol {
  readonly name: string;
  readonly declarations: readonly { readonly jsDoc?: { readonly doc?: string; readonly tags?: { kind: string }[] } }[];
}

const { exports }: { exports: Record<string, string> } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
const entries = Object.entries(exports).filter(([name]) => /^\.\/(rest|surfaces|serve)/.test(name));

for (const [name, file] of entries) {
  Deno.test(`every symbol of ${name} has a docstring and an example`, async () => {
    const text = await runOk([Deno.execPath(), "doc", "--json", "--no-lock", file], { cwd: root });
    const [{ symbols }] = Object.values((JSON.parse(text) as Documented).nodes);
    const bare = symbols.flatMap(({ name, declarations }) => {
      const docs = declarations.map(({ jsDoc }) => jsDoc);
      const missing = [
        ...(docs.some((doc) => doc?.doc) ? [] : ["docstring"]),
        ...(docs.some((doc) => doc?.tags?.some(({ kind }) => kind === "example")) ? [] : ["example"]),
      ];
      return missing.length > 0 ? [`${name}: no ${missing.join(", no ")}`] : [];
    });
    assertEquals(bare, []);
  });
}
