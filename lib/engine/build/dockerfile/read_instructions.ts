import { DockerfileError } from "./dockerfile_error.ts";
import { findHeredocs, type Heredoc, readHeredoc } from "./heredocs.ts";
import { scanWords, unquoteWord } from "./words.ts";

/** An instruction as it stands: continued lines joined, flags and heredocs taken apart, nothing of it understood yet. */
export interface RawInstruction {
  /** In capitals. */
  keyword: string;
  /** `--name=value`, before anything else, without quotes. */
  flags: string[];
  /** The text that follows, without the heredocs' contents. */
  text: string;
  heredocs: Heredoc[];
  /** Counted from 1. */
  line: number;
}

/** The settings that the first comments of a Dockerfile make. */
export interface ParserDirectives {
  /** A frontend's image. This engine reads Dockerfiles itself: it is kept for documents only. */
  syntax?: string;
  /** `\` or a back quote. */
  escape: string;
  check?: string;
}

/** The most bytes of a Dockerfile, of all its heredocs too. */
export const DOCKERFILE_LIMIT = 1 << 20;

const WITH_HEREDOCS = /^(?:RUN|COPY|ADD|ONBUILD\s+(?:RUN|COPY|ADD))$/i;

/**
 * Splits a Dockerfile into instructions, as BuildKit's parser does. `docs/decisions/own_dockerfile_reader.md` says why no
 * package does it.
 *
 * @throws {DockerfileError} if a heredoc or a directive is wrong, or there are no instructions
 */
export function readInstructions(
  source: string,
  file = "Dockerfile",
): { directives: ParserDirectives; instructions: RawInstruction[] } {
  const fail = (why: string, line: number) => new DockerfileError(why, { file, line });
  if (source.length > DOCKERFILE_LIMIT) throw fail(`the file is larger than ${DOCKERFILE_LIMIT} bytes`, 1);
  const lines = source.replace(/^\uFEFF/, "").split(/\r?\n/);
  const directives = readDirectives(lines, fail);
  const { escape } = directives;
  // An escape that is escaped itself continues nothing.
  const continues = escape === "\\" ? /(^|[^\\])\\[ \t]*$/ : /(^|[^`])`[ \t]*$/;
  const instructions: RawInstruction[] = [];
  for (let at = 0; at < lines.length;) {
    if (isNoise(lines[at])) {
      at++;
      continue;
    }
    const first = at;
    const parts: string[] = [];
    for (let goesOn = true; goesOn && at < lines.length; at++) {
      if (parts.length > 0 && isNoise(lines[at])) continue;
      goesOn = continues.test(lines[at]);
      parts.push(goesOn ? lines[at].replace(continues, "$1") : lines[at]);
    }
    const text = parts.join("").trim();
    if (text === "") continue;
    const instruction = splitInstruction(text, escape, first + 1);
    for (const mark of heredocsOf(instruction, escape)) {
      const found = readHeredoc(mark, lines, at);
      if (found === undefined) throw fail(`unterminated heredoc: no line is "${mark.name}"`, first + 1);
      instruction.heredocs.push(found.heredoc);
      at = found.next;
    }
    instructions.push(instruction);
  }
  if (instructions.length === 0) throw fail("file with no instructions", 1);
  return { directives, instructions };
}

/** Takes an instruction apart that stands in one line: those of `ONBUILD` come so. */
export function splitInstruction(text: string, escape: string, line: number): RawInstruction {
  const [, keyword = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  let left = rest;
  const flags: string[] = [];
  while (left.startsWith("--")) {
    const [word] = scanWords(left, escape);
    left = left.slice(word.length).trimStart();
    if (word === "--") break;
    flags.push(unquoteWord(word, escape));
  }
  return { keyword: keyword.toUpperCase(), flags, text: left, heredocs: [], line };
}

function heredocsOf({ keyword, text }: RawInstruction, escape: string) {
  const [inner = ""] = /^\S+/.exec(text) ?? [];
  const isOf = WITH_HEREDOCS.test(keyword === "ONBUILD" ? `${keyword} ${inner}` : keyword);
  return isOf && text.includes("<<") && !text.startsWith("[") ? findHeredocs(text, escape) : [];
}

function readDirectives(lines: readonly string[], fail: (why: string, line: number) => Error): ParserDirectives {
  const found = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const [, name, value] = /^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || !["syntax", "escape", "check"].includes(key)) break;
    if (found.has(key)) throw fail(`only one ${key} parser directive can be used`, at + 1);
    if (key === "escape" && value !== "\\" && value !== "`") {
      throw fail(`invalid escape token '${value}' does not match \` or \\`, at + 1);
    }
    found.set(key, value);
  }
  const [syntax, check] = [found.get("syntax"), found.get("check")];
  return { escape: found.get("escape") ?? "\\", ...syntax && { syntax }, ...check && { check } };
}

function isNoise(line: string): boolean {
  return /^\s*(?:#|$)/.test(line);
}
