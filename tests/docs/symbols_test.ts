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
  readonly declarations: readonly {
    readonly jsDoc?: { readonly doc?: string; readonly tags?: { kind: string }[] };
    readonly def?: { readonly properties?: { name: string }[]; readonly methods?: { name: string }[] };
  }[];
}

const { exports }: { exports: Record<string, string> } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
const entries = Object.entries(exports).filter(([name]) => /^\.\/(rest|surfaces|serve)/.test(name));

async function symbolsOf(file: string): Promise<readonly DocumentedSymbol[]> {
  const text = await runOk([Deno.execPath(), "doc", "--json", "--no-lock", file], { cwd: root });
  const [{ symbols }] = Object.values((JSON.parse(text) as Documented).nodes);
  return symbols;
}

for (const [name, file] of entries) {
  Deno.test(`every symbol of ${name} has a docstring and an example, and stands in the transport's documents`, async () => {
    const symbols = await symbolsOf(file);
    const bare = symbols.flatMap(({ name, declarations }) => {
      const docs = declarations.map(({ jsDoc }) => jsDoc);
      const missing = [
        ...(docs.some((doc) => doc?.doc) ? [] : ["docstring"]),
        ...(docs.some((doc) => doc?.tags?.some(({ kind }) => kind === "example")) ? [] : ["example"]),
      ];
      return missing.length > 0 ? [`${name}: no ${missing.join(", no ")}`] : [];
    });
    assertEquals(bare, []);
    const known = await Deno.readTextFile(`${root}docs/transport/llms.txt`);
    assertEquals(symbols.map(({ name }) => name).filter((name) => !known.includes(`\`${name}\``)), [], "llms.txt");
    const pages = await readPages();
    const untold = symbols.filter(({ name }) => /Options$|Parts$|^(HostRules|Authenticator)$/.test(name))
      .flatMap(({ name, declarations }) => fieldsOf(declarations).map((field) => [name, field]))
      .filter(([, field]) => !pages.includes(`\`${field}\``));
    assertEquals(untold, [], "options that no document tells");
  });
}

function fieldsOf(declarations: DocumentedSymbol["declarations"]): string[] {
  return declarations.flatMap(({ def }) => [...def?.properties ?? [], ...def?.methods ?? []].map(({ name }) => name));
}

async function readPages(): Promise<string> {
  const names = Array.from(Deno.readDirSync(`${root}docs/transport`), ({ name }) => name);
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(`${root}docs/transport/${name}`)));
  return texts.join("\n");
}
