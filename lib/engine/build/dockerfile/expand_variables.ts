import { fitsGlob } from "../../text/glob.ts";
import { EngineError } from "../../errors.ts";

/** Variables, by name. */
export type Variables = ReadonlyMap<string, string>;

/** Choices for {@linkcode expandVariables}. */
export interface ExpandOptions {
  /** The Dockerfile's escape character. */
  escape?: string;
  /** Leave quotes where they are: the text is a heredoc's. */
  raw?: boolean;
}

/** A pattern is tried at every place of the value it is taken from. */
const PATTERN_VALUE_LIMIT = 4096;
const NAME = /^(?:[a-zA-Z_][a-zA-Z0-9_]*|[0-9@*#?\-!])/;

/**
 * Puts variables into a word and takes its quotes off, as a shell does: `$name`, `${name}`, and with what to do about a
 * missing (or, after a colon, empty) one: `${name:-other}`, `${name:+other}`, `${name:?message}`; with parts cut off or
 * replaced: `${name#pattern}`, `##`, `%`, `%%`, `${name/pattern/other}`, `//`. Nothing in single quotes is replaced.
 *
 * @throws {EngineError} `invalid` if a brace or quote is open at the end, or `?` finds nothing
 */
export function expandVariables(word: string, variables: Variables, options: ExpandOptions = {}): string {
  const reader = new WordReader(word, variables, options);
  return reader.readUntil("");
}

class WordReader {
  #at = 0;
  readonly #text: string;
  readonly #variables: Variables;
  readonly #escape: string;
  readonly #raw: boolean;

  constructor(text: string, variables: Variables, { escape = "\\", raw = false }: ExpandOptions) {
    this.#text = text;
    this.#variables = variables;
    this.#escape = escape;
    this.#raw = raw;
  }

  /** Reads up to one of the letters, and past it; to the end where there are none. */
  readUntil(ends: string): string {
    let plain = "";
    while (this.#at < this.#text.length) {
      const letter = this.#text[this.#at++];
      if (ends.includes(letter)) return plain;
      if (letter === "$") plain += this.#variable();
      else if (letter === this.#escape) plain += this.#escaped();
      else if (letter === "'" && !this.#raw) plain += this.#quoted();
      else if (letter === '"' && !this.#raw) plain += this.#doubleQuoted();
      else plain += letter;
    }
    if (ends !== "") throw this.#broken(`unexpected end of statement while looking for matching "${ends.at(-1)}"`);
    return plain;
  }

  #escaped(): string {
    if (this.#at === this.#text.length) return this.#raw ? this.#escape : "";
    const next = this.#text[this.#at++];
    return this.#raw && next !== "$" && next !== this.#escape ? this.#escape + next : next;
  }

  #quoted(): string {
    const end = this.#text.indexOf("'", this.#at);
    if (end < 0) throw this.#broken("unexpected end of statement while looking for matching single-quote");
    const plain = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return plain;
  }

  #doubleQuoted(): string {
    let plain = "";
    while (this.#at < this.#text.length) {
      const letter = this.#text[this.#at++];
      if (letter === '"') return plain;
      if (letter === "$") plain += this.#variable();
      else if (letter === this.#escape && this.#at < this.#text.length) {
        const next = this.#text[this.#at++];
        plain += next === '"' || next === "$" || next === this.#escape ? next : letter + next;
      } else plain += letter;
    }
    throw this.#broken("unexpected end of statement while looking for matching double-quote");
  }

  #variable(): string {
    if (this.#text[this.#at] !== "{") {
      const [name] = NAME.exec(this.#text.slice(this.#at, this.#at + 1024)) ?? [];
      if (name === undefined) return "$";
      this.#at += name.length;
      return this.#variables.get(name) ?? "";
    }
    this.#at++;
    const [name] = NAME.exec(this.#text.slice(this.#at, this.#at + 1024)) ?? [];
    if (name === undefined) throw this.#broken("bad substitution");
    this.#at += name.length;
    return this.#substitute(name);
  }

  #substitute(name: string): string {
    const value = this.#variables.get(name);
    const letter = this.#text[this.#at++];
    if (letter === "}") return value ?? "";
    const isColon = letter === ":";
    const operator = isColon ? this.#text[this.#at++] : letter;
    if (operator === undefined) throw this.#broken("syntax error: missing '}'");
    const isMissing = value === undefined || (isColon && value === "");
    if ("-+?".includes(operator)) {
      const other = this.readUntil("}");
      if (operator === "-") return isMissing ? other : value;
      if (operator === "+") return isMissing ? "" : other;
      if (!isMissing) return value;
      throw this.#broken(`${name}: ${other === "" ? "is not allowed to be unset" : other}`);
    }
    if (isColon) throw this.#broken(`unsupported modifier (:${operator}) in substitution`);
    const isDouble = this.#text[this.#at] === operator;
    if ("#%/".includes(operator) && isDouble) this.#at++;
    if (operator === "/") return this.#replace(value ?? "", isDouble);
    if (operator !== "#" && operator !== "%") throw this.#broken(`unsupported modifier (${operator}) in substitution`);
    return trimPattern(this.#bounded(value ?? ""), this.readUntil("}"), operator, isDouble);
  }

  #replace(value: string, isAll: boolean): string {
    // The other text may be left out: then the pattern's finds go.
    const start = this.#at;
    let pattern = this.readUntil("/}");
    const other = this.#text[this.#at - 1] === "/" && this.#at > start ? this.readUntil("}") : "";
    pattern = pattern.replaceAll("\\", "");
    return replacePattern(this.#bounded(value), pattern, other, isAll);
  }

  #bounded(value: string): string {
    if (value.length <= PATTERN_VALUE_LIMIT) return value;
    throw this.#broken(`a value longer than ${PATTERN_VALUE_LIMIT} letters takes no pattern`);
  }

  #broken(why: string): EngineError {
    return new EngineError("invalid", `failed to process "${this.#text.slice(0, 200)}": ${why}`);
  }
}

/** Cuts off the shortest, or longest, beginning or end that the pattern fits. */
function trimPattern(value: string, pattern: string, side: string, isLongest: boolean): string {
  const cuts = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (isLongest) cuts.reverse();
  for (const cut of cuts) {
    const [gone, left] = side === "#"
      ? [value.slice(0, cut), value.slice(cut)]
      : [value.slice(value.length - cut), value.slice(0, value.length - cut)];
    if (fitsText(pattern, gone)) return left;
  }
  return value;
}

function replacePattern(value: string, pattern: string, other: string, isAll: boolean): string {
  let replaced = "";
  for (let at = 0; at < value.length;) {
    let end = value.length;
    while (end > at && !fitsText(pattern, value.slice(at, end))) end--;
    if (end === at) {
      replaced += value[at++];
      continue;
    }
    replaced += other;
    at = end;
    if (!isAll) return replaced + value.slice(at);
  }
  return replaced;
}

/** Slashes are letters like any other here. */
function fitsText(pattern: string, text: string): boolean {
  return fitsGlob(pattern.replaceAll("/", "\0"), text.replaceAll("/", "\0"));
}
