/** A part of a pattern. */
export type PatternNode =
  | { is: "letter"; fits: (letter: string) => boolean }
  | { is: "zero"; at: Zero }
  | { is: "all"; parts: PatternNode[] }
  | { is: "any"; parts: PatternNode[] }
  | { is: "repeat"; part: PatternNode; least: number; most: number };

/** A condition on the place between two letters. */
export type Zero = "start" | "end" | "border" | "inside";

/** As RE2 has it. */
const MOST_REPEATS = 1000;
/** The longest pattern that is looked at, in characters: the time for one that is broken may grow with the square. */
const LONGEST = 10_000;
const ZEROS: ReadonlyMap<string, Zero> = new Map([
  ["^", "start"],
  ["$", "end"],
  ["\\A", "start"],
  ["\\z", "end"],
  ["\\b", "border"],
  ["\\B", "inside"],
]);
/** POSIX names of classes, by what stands for them within brackets. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["digit", "0-9"],
  ["lower", "a-z"],
  ["punct", "!-\\/:-@\\[-`\\{-~"],
  ["space", "\\t-\\r "],
  ["upper", "A-Z"],
  ["word", "0-9A-Za-z_"],
  ["xdigit", "0-9A-Fa-f"],
]);
/** One token: brackets whole, an escape, the head of a group, a count, or a letter. */
const TOKEN =
  /\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\p\{\^?\w+\}|\\.|\(\?P?<\w+>|\(\?[a-zA-Z]*:?\)?|\{[0-9]+(?:,[0-9]*)?\}|./suy;

/** Parses a regular expression of Go's kind. Throws `SyntaxError`. */
export function parsePattern(source: string): PatternNode {
  return new Parser(source).whole();
}

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;
  #flags = "";

  constructor(source: string) {
    if (source.length > LONGEST) throw brokenPattern(`it is longer than ${LONGEST} characters`);
    const pattern = new RegExp(TOKEN);
    while (pattern.lastIndex < source.length) {
      const token = pattern.exec(source)?.[0];
      if (token === undefined) throw brokenPattern("it is malformed");
      this.#tokens.push(token);
    }
  }

  whole(): PatternNode {
    const node = this.#any();
    if (this.#at < this.#tokens.length) throw brokenPattern('")" without "("');
    return node;
  }

  #any(): PatternNode {
    const parts = [this.#all()];
    for (; this.#tokens[this.#at] === "|"; parts.push(this.#all())) this.#at++;
    return parts.length === 1 ? parts[0] : { is: "any", parts };
  }

  #all(): PatternNode {
    const parts: PatternNode[] = [];
    for (let token = this.#tokens[this.#at]; token && token !== "|" && token !== ")"; token = this.#tokens[this.#at]) {
      this.#at++;
      parts.push(this.#repeated(this.#atom(token)));
    }
    return { is: "all", parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const count = countOf(this.#tokens[this.#at]);
    if (count === undefined) return part;
    this.#at++;
    // Which of several matches is found first does not matter to who asks whether there is one.
    if (this.#tokens[this.#at] === "?") this.#at++;
    if (countOf(this.#tokens[this.#at])) throw brokenPattern("a repeat of a repeat");
    return { is: "repeat", part, ...count };
  }

  #atom(token: string): PatternNode {
    const zero = ZEROS.get(token);
    if (zero !== undefined) return { is: "zero", at: zero };
    if (token.startsWith("(")) return this.#group(token);
    if (token === "[" || token === "\\") throw brokenPattern(`"${token}" without its end`);
    if (countOf(token) && !token.startsWith("{")) throw brokenPattern(`nothing before "${token}"`);
    return { is: "letter", fits: letterTest(token, this.#flags) };
  }

  #group(head: string): PatternNode {
    const outer = this.#flags;
    const flags = /^\(\?([a-zA-Z]*)([:)]+)$/.exec(head);
    if (flags) {
      if (/[^is]/.test(flags[1]) || flags[2] === ":)") throw brokenPattern(`"${head}" is not supported`);
      this.#flags += flags[1];
      if (flags[2] === ")") return { is: "all", parts: [] };
    } else if (head !== "(" && !head.endsWith(">")) {
      throw brokenPattern(`"${head}" is not supported`);
    }
    const node = this.#any();
    if (this.#tokens[this.#at++] !== ")") throw brokenPattern('"(" without ")"');
    this.#flags = outer;
    return node;
  }
}

function countOf(token: string | undefined): { least: number; most: number } | undefined {
  if (token === "*") return { least: 0, most: Infinity };
  if (token === "+") return { least: 1, most: Infinity };
  if (token === "?") return { least: 0, most: 1 };
  const match = /^\{([0-9]+)(,?)([0-9]*)\}$/.exec(token ?? "");
  if (match === null) return undefined;
  const least = Number(match[1]);
  const most = match[2] === "" ? least : match[3] === "" ? Infinity : Number(match[3]);
  if (least > MOST_REPEATS || (most > MOST_REPEATS && most !== Infinity) || most < least) {
    throw brokenPattern(`"${token}" is no count`);
  }
  return { least, most };
}

/** One letter at a time there is nothing to go back to: JavaScript's own classes do. */
function letterTest(token: string, flags: string): (letter: string) => boolean {
  if (token.length === 1 && token !== "." && flags === "") return (letter) => letter === token;
  const source = token.startsWith("[") && token.length > 1
    ? token.replace(/^\[(\^?)\]/, "[$1\\]").replace(/\[:(\w+):\]/g, (_, name) => {
      const letters = CLASSES.get(name);
      if (letters === undefined) throw brokenPattern(`"${name}" is no class`);
      return letters;
    })
    : token.replace(/^[[\](){}/]$/, "\\$&").replace(/^\\x([0-9a-fA-F]{2})$/, "\\u{$1}").replace(/^\\x\{/, "\\u{")
      .replace(/^\\([^\w\s])$/, (_, letter) => /[\^$\\.*+?()[\]{}|/]/.test(letter) ? `\\${letter}` : letter);
  const regex = new RegExp(`^${source}$`, `u${[...new Set(flags)].join("")}`);
  return (letter) => regex.test(letter);
}

function brokenPattern(why: string): SyntaxError {
  return new SyntaxError(`Parse pattern: ${why}`);
}
