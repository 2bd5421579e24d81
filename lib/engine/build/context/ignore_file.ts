import { cleanPath } from "../../../oci/clean_path.ts";
import { EngineError } from "../../errors.ts";
import { compilePathPattern, type PathPattern } from "./path_pattern.ts";

/** Tells whether a path of the context is left out of it. */
export type IgnoreRule = (path: string) => boolean;

/** The most patterns of one file. */
const PATTERN_LIMIT = 10_000;

/**
 * Reads the lines of a `.dockerignore` or `.containerignore`. A pattern fits a path or a folder above it; one with `!` before
 * it takes paths back in; the last that fits decides. Libraries for it are written for `.gitignore`, whose rules differ, or
 * for a file system.
 *
 * @throws {EngineError} `invalid` if a pattern does not parse
 */
export function parseIgnoreFile(lines: readonly string[]): IgnoreRule {
  const rules: { fits: PathPattern; isBack: boolean }[] = [];
  for (const line of lines) {
    const text = line.replace(/^\uFEFF/, "").trim();
    if (text === "" || text.startsWith("#")) continue;
    const isBack = text.startsWith("!");
    const pattern = cleanPath(isBack ? text.slice(1).trim() : text).slice(1);
    if (pattern === "") continue;
    if (rules.length === PATTERN_LIMIT) throw invalidIgnoreFile(`more than ${PATTERN_LIMIT} patterns`);
    try {
      rules.push({ fits: compilePathPattern(pattern), isBack });
    } catch (error) {
      throw invalidIgnoreFile(error instanceof Error ? error.message : String(error));
    }
  }
  if (rules.length === 0) return () => false;
  return (path) => {
    const folders = path.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));
    let isOut = false;
    for (const { fits, isBack } of rules) {
      if (isOut === isBack && folders.some(fits)) isOut = !isBack;
    }
    return isOut;
  };
}

function invalidIgnoreFile(why: string): EngineError {
  return new EngineError("invalid", `error reading the context's ignore file: ${why}`);
}
