/** The longest text that is made, the most repetitions of a part and of all parts together, and the deepest nesting of a pattern. */
const MAX_LENGTH = 4096;
const MAX_COUNT = 1024;
const MAX_STEPS = 65_536;
const MAX_DEPTH = 32;
/** How many times more than it must a part without an upper bound is repeated. */
const MORE = 3;

/** Makes a part of a text. */
type Part = () => string;

/**
 * Makes a text that a pattern fits, of the parts that most patterns have: characters, classes, groups, alternatives and repetitions. Anchors and
 * looks ahead say nothing here, so that the pattern itself has the last word.
 *
 * @param integer Gives a whole number between two
 * @param pattern Without the flags `g` and `y`, by which it would remember where it was
 * @returns undefined for a pattern with other parts, one that is too long or too deep, and a text that does not fit
 */
export function patternText(pattern: RegExp, integer: (low: number, high: number) => number): string | undefined {
  try {
    const text = new PatternReader(pattern.source, integer).read()();
    return pattern.test(text) ? text : undefined;
  } catch (error) {
    // It has a part that is not known here, or is too large.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The expression of a pattern, if it is one. */
export function readPattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}

const printable = (test: RegExp) =>
  Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)).filter((one) => test.test(one));
/** The characters of classes, of those that can be printed. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: printable(/\d/),
  D: printable(/[a-z]/),
  w: printable(/\w/),
  W: printable(/[-+ ]/),
  s: [" "],
  S: printable(/[a-z0-9]/),
  p: printable(/[a-z]/),
  ".": printable(/[a-z0-9]/),
};
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", "0": "\0" };

/** Reads a pattern from the left to the right. */
class PatternReader {
  readonly #pattern: string;
  readonly #integer: (low: number, high: number) => number;
  #at = 0;
  #depth = 0;
  /** Repetitions that were made: those of parts without a text multiply, and no length bounds them. */
  #steps = 0;

  constructor(pattern: string, integer: (low: number, high: number) => number) {
    this.#pattern = pattern;
    this.#integer = integer;
  }

  read(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new RangeError("a group is closed that was not opened");
    return part;
  }

  #alternatives(): Part {
    if (++this.#depth > MAX_DEPTH) throw new RangeError("too deep");
    const all = [this.#sequence()];
    while (this.#take("|")) all.push(this.#sequence());
    this.#depth--;
    return () => this.#pick(all)();
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at])) {
      parts.push(this.#repeated(this.#single()));
    }
    return () =>
      parts.reduce((text, part) => {
        if (text.length > MAX_LENGTH) throw new RangeError("too long");
        return text + part();
      }, "");
  }

  #repeated(part: Part): Part {
    const counted = this.#match(/\{(\d+)(,?)(\d*)\}/y);
    const sign = counted ? undefined : this.#match(/[*+?]/y)?.[0];
    if (!counted && !sign) return part;
    // Few or many, both fit.
    this.#take("?");
    const least = counted ? Number(counted[1]) : sign === "+" ? 1 : 0;
    const most = counted && !counted[2] ? least : counted?.[3] ? Number(counted[3]) : sign === "?" ? 1 : Infinity;
    if (least > MAX_COUNT) throw new RangeError("too many");
    return () => {
      let text = "";
      const count = this.#integer(least, Math.min(most, least + MORE));
      for (let i = 0; i < count && text.length <= MAX_LENGTH; i++) {
        if (++this.#steps > MAX_STEPS) throw new RangeError("too many");
        text += part();
      }
      return text;
    };
  }

  #single(): Part {
    const sign = this.#pattern[this.#at++];
    if (sign === "(") return this.#group();
    if (sign === "[") return this.#oneOf(this.#set());
    if (sign === "\\") return this.#oneOf(this.#escaped());
    if (sign === ".") return this.#oneOf(CLASSES["."]);
    return this.#oneOf(sign === "^" || sign === "$" ? [""] : [sign]);
  }

  #group(): Part {
    const [, look] = this.#match(/\?(?:<[A-Za-z_$][\w$]*>|:|(=|!|<=|<!))/y) ?? [];
    const part = this.#alternatives();
    if (!this.#take(")")) throw new RangeError("a group is not closed");
    return look ? () => "" : part;
  }

  /** The characters of a class in brackets. */
  #set(): readonly string[] {
    const isNegated = this.#take("^");
    const all = new Set<string>();
    while (!this.#take("]")) {
      if (this.#at >= this.#pattern.length) throw new RangeError("a class is not closed");
      const from = this.#member();
      const isRange = from.length === 1 && /^-[^\]]/.test(this.#pattern.slice(this.#at, this.#at + 2));
      if (!isRange) {
        for (const one of from) all.add(one);
        continue;
      }
      this.#at++;
      const [low, high] = [from[0], this.#member()[0]].map((one) => one.codePointAt(0)!);
      for (let code = low; code <= Math.min(high, low + 127); code++) all.add(String.fromCodePoint(code));
    }
    const found = isNegated ? printable(/./).filter((one) => !all.has(one)) : [...all];
    if (found.length === 0) throw new RangeError("no character fits");
    return found;
  }

  #member(): readonly string[] {
    const sign = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += sign.length;
    return sign === "\\" ? this.#escaped() : [sign];
  }

  /** The characters behind a backslash. */
  #escaped(): readonly string[] {
    const code = this.#match(/u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2})/iy);
    if (code) return [String.fromCodePoint(parseInt(code[1] ?? code[2] ?? code[3], 16))];
    const sign = this.#pattern[this.#at++] ?? "";
    if (/[pP]/.test(sign) && this.#match(/\{[^}]*\}/y)) return CLASSES.p;
    if (Object.hasOwn(CLASSES, sign) && sign !== ".") return CLASSES[sign];
    if (sign === "b" || sign === "B") return [""];
    if (Object.hasOwn(CONTROLS, sign)) return [CONTROLS[sign]];
    if (/[1-9kc]/.test(sign)) throw new RangeError("it names a group, or a control character");
    return [sign];
  }

  #oneOf(characters: readonly string[]): Part {
    return () => this.#pick(characters);
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#integer(0, all.length - 1)];
  }

  #take(sign: string): boolean {
    const found = this.#pattern[this.#at] === sign;
    if (found) this.#at++;
    return found;
  }

  /** Takes what a sticky expression finds here. */
  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}
