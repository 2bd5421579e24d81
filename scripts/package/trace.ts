/**
 * `deno task trace < FILE`: tells where in the sources the places of a stack trace are that `gantry.mjs`, `gantry.cjs` or `node.mjs` has written into its log.
 * It bundles the tree as it stands, which has to be that of the program's version.
 *
 * @module
 */
import { SourceMap } from "node:module";
import { bundles } from "../build.ts";
import { bundleMap } from "../bundle.ts";

/** The programs whose places are told. */
const PROGRAMS = ["gantry.mjs", "gantry.cjs", "node.mjs"] as const;

/** A place in a program's text, as V8 writes it: the path of the program, its line and column, both from 1. */
const PLACE = /[^\s()]*\b((?:gantry\.[cm]|node\.m)js):(\d+):(\d+)/g;

/** Replaces the places of programs in a text by those of the sources. A place that the map does not know stays as it is. */
export function traceSources(text: string, maps: Readonly<Record<string, SourceMap>>): string {
  return text.replace(PLACE, (place, program: string, line: string, column: string) => {
    const found = maps[program]?.findEntry(Number(line) - 1, Number(column) - 1);
    return found !== undefined && "originalSource" in found
      ? `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`
      : place;
  });
}

/** Makes the source maps of the programs that a text names. */
export async function mapsFor(text: string): Promise<Record<string, SourceMap>> {
  const named = PROGRAMS.filter((program) => text.includes(`${program}:`));
  const maps = await Promise.all(named.map(async (program) => {
    const commonJS = program === "gantry.cjs";
    const { entry, target } = bundles[commonJS ? "gantry.mjs" : program]!;
    return [program, new SourceMap(JSON.parse(await bundleMap(entry, target, { commonJS })))] as const;
  }));
  return Object.fromEntries(maps);
}

if (import.meta.main) {
  const text = await new Response(Deno.stdin.readable).text();
  console.log(traceSources(text, await mapsFor(text)).trimEnd());
}
