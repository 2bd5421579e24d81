/**
 * Words of systemd's command lines and lists: their quotes and C escapes, systemd.syntax(7) and systemd.service(5).
 *
 * @module
 */

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", s: " " },
  ...{ "\\": "\\", '"': '"', "'": "'" },
};
const NUMBERS: readonly [pattern: RegExp, radix: number][] = [
  [/x([0-9a-fA-F]{2})/y, 16],
  [/u([0-9a-fA-F]{4})/y, 16],
  [/U([0-9a-fA-F]{8})/y, 16],
  [/([0-3][0-7]{2})/y, 8],
];

/**
 * Splits a value at its white space, but not within quotes. Quotes go, and escapes become what they stand for. An escape that
 * nobody knows stays as it is written.
 *
 * @throws `RangeError` for a quote that nothing closes, and for an escape of a NUL or of no Unicode character
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") {
      const { value, length } = readEscape(text, at + 1);
      word = (word ?? "") + value;
      at += length;
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== undefined) throw new RangeError(`a ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  return words;
}

/** Joins words to a command line that {@linkcode splitWords} splits into the same again. */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => word !== "" && !/[\s"'\\\p{Cc}]/u.test(word) ? word : quoteWord(word))
    .join(" ");
}

/** Quotes a word, with escapes for what cannot stand within quotes. */
export function quoteWord(word: string): string {
  return `"${escapeText(word, '"')}"`;
}

/** Escapes a path so that it is one word without quotes. */
export function escapePath(word: string): string {
  return escapeText(word, " '\"");
}

function escapeText(text: string, special: string): string {
  const names = new Map(Object.entries(ESCAPES).map(([name, char]) => [char, name]));
  let escaped = "";
  for (const char of text) {
    const name = names.get(char);
    if (char === " ") escaped += special.includes(" ") ? "\\x20" : char;
    else if (char === "\\" || special.includes(char)) escaped += `\\${char}`;
    else if (char >= " " && char !== "\x7f") escaped += char;
    else escaped += name === undefined ? `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}` : `\\${name}`;
  }
  return escaped;
}

function readEscape(text: string, at: number): { value: string; length: number } {
  for (const [pattern, radix] of NUMBERS) {
    pattern.lastIndex = at;
    const digits = pattern.exec(text)?.[1];
    if (digits === undefined) continue;
    const code = parseInt(digits, radix);
    if (code === 0 || code > 0x10ffff) throw new RangeError(`the escape \\${text.slice(at, at + 10)} is no character`);
    return { value: String.fromCodePoint(code), length: digits.length + (radix === 8 ? 0 : 1) };
  }
  const char = text[at];
  if (char === undefined) return { value: "\\", length: 0 };
  return { value: Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : `\\${char}`, length: 1 };
}
