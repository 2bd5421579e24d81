/**
 * The words of the code. Comments are sentences with a subject, a verb and an object; function names say what they do. Older
 * files fall short of that: each number below is how many do, and may only fall.
 */
import { assertEquals } from "@std/assert";

const root = new URL("../", import.meta.url);
const sources = [...walk("lib/"), ...walk("handlers/"), ...walk("scripts/"), "mod.ts"].filter((path) =>
  path.endsWith(".ts")
)
  .map((path) => Deno.readTextFileSync(new URL(path, root)));

/** Counts of what is to go. A change that lowers one writes the new number here; one that raises it does not pass. */
const BUDGET = { headlessOpenings: 0, headlessSentences: 0, oneWordFunctions: 226 };

Deno.test("no further comment begins without its subject (What …, Who …, Where …, Those …)", () => {
  const openings = sources.flatMap(comments).filter((text) => /^(?:What|Who|Whom|Whose|Where|Those) [a-z]/.test(text));
  assertEquals(openings.length, BUDGET.headlessOpenings, advice("headlessOpenings", openings.length));
});

Deno.test("no further sentence of a comment begins without its subject", () => {
  const sentences = sources.flatMap(comments).flatMap((text) => text.split(/(?<=[.!?]) (?=[A-Z])/).slice(1))
    .filter((text) => /^(?:What|Who|Whom|Whose|Those) [a-z]/.test(text));
  assertEquals(sentences.length, BUDGET.headlessSentences, advice("headlessSentences", sentences.length));
});

Deno.test("no further function at a file's top has a name of one word", () => {
  const names = sources.flatMap((code) =>
    [...code.matchAll(/^(?:export )?(?:async )?function\*? ([A-Za-z0-9_]+)/gm)].map(([, name]) => name)
  );
  const short = names.filter((name) => /^[a-z0-9]+$/.test(name));
  assertEquals(short.length, BUDGET.oneWordFunctions, advice("oneWordFunctions", short.length));
});

function advice(name: string, count: number): string {
  const budget = BUDGET[name as keyof typeof BUDGET];
  return count > budget
    ? `${count - budget} more than before: say who or what the subject is (CONTRIBUTING.md, "Plain English")`
    : `${budget - count} fewer than before: write ${count} as BUDGET.${name}`;
}

/** The texts of a file's comments: each doc comment, and each run of line comments, without its markers. */
function comments(code: string): string[] {
  const blocks = [...code.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, text]) => text.replace(/^\s*\* ?/gm, ""));
  const lines = [...code.matchAll(/(?:^[ \t]*\/\/(?!\/).*\n?)+/gm)].map(([text]) =>
    text.replace(/^[ \t]*\/\/ ?/gm, "")
  );
  return [...blocks, ...lines].map((text) => text.replace(/```[\s\S]*?```/g, "").replace(/\s+/g, " ").trim());
}

function* walk(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(new URL(folder, root))) {
    if (entry.isDirectory) yield* walk(`${folder}${entry.name}/`);
    else yield folder + entry.name;
  }
}
