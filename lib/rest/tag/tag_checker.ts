import { checkErrorWords, checkRules, type FailAt } from "./rule_checker.ts";
import type { Placeholder, Tag, TagQuery, TagSegment } from "./tag.ts";

/** Something wrong with a tag, and where: `column` counts from 1. */
export interface TagProblem {
  readonly column: number;
  readonly message: string;
}

/** A tag, taken apart in spite of what is wrong with it. */
export interface CheckedTag extends Tag {
  readonly problems: readonly TagProblem[];
  /** The columns where the rules begin, for problems that concern them. */
  readonly columns: { readonly arguments: number; readonly results: number; readonly errors: number };
}

/** Longest tag that is looked at. */
const MAX_LENGTH = 2048;

/**
 * Takes a tag apart as {@linkcode parseTag} does, but slowly and to the end: what is wrong is listed in `problems`, with its column, and the rest
 * is still read. Never throws.
 */
export function checkTag(text: string): CheckedTag {
  return new TagChecker(text).parse();
}

class TagChecker {
  readonly #text: string;
  readonly #problems: TagProblem[] = [];
  /** The number of the last argument placed; the next `%v` is the one after it, as in printf. */
  #last = 0;
  readonly #names = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  parse(): CheckedTag {
    const empty: CheckedTag = {
      method: "",
      contentType: undefined,
      segments: [],
      query: [],
      argumentRules: [],
      resultRules: [],
      errors: undefined,
      columns: { arguments: 1, results: 1, errors: 1 },
      problems: this.#problems,
    };
    if (this.#text.length > MAX_LENGTH) {
      this.#fail(MAX_LENGTH, `the tag is longer than ${MAX_LENGTH} characters`);
      return empty;
    }
    const head = /^([^\s(]*)(?:\(((?:"[^"]*"|[^)"])*)(\)?))?/.exec(this.#text);
    const method = head?.[1] ?? "";
    const contentType = head?.[2];
    let at = head?.[0].length ?? 0;
    if (!/^[A-Z]+(-[A-Z]+)*$/.test(method)) this.#fail(0, "a tag begins with a method in capitals, as in GET");
    // The Fetch Standard's forbidden methods (section 2.2.1).
    if (/^(?:CONNECT|TRACE|TRACK)$/.test(method)) this.#fail(0, `no client of fetch can send ${method}`);
    if (contentType !== undefined) {
      if (head?.[3] !== ")") this.#fail(method.length, "the content type has no closing bracket");
      if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(\s*;.*)?$/.test(contentType)) {
        this.#fail(method.length + 1, `"${contentType}" is not a content type`);
      }
    }
    if (this.#text[at] !== " ") {
      this.#fail(at, "one space and a path follow the method");
      return { ...empty, method, contentType };
    }
    at++;
    const end = this.#until(at, " ");
    const question = this.#text.slice(at, end).indexOf("?");
    const pathEnd = question < 0 ? end : at + question;
    const segments = this.#path(at, pathEnd);
    const query = question < 0 ? [] : this.#query(pathEnd + 1, end);
    return { ...empty, method, contentType, segments, query, ...this.#rules(end) };
  }

  readonly #fail: FailAt = (index, message) => void this.#problems.push({ column: index + 1, message });

  #until(from: number, char: string): number {
    const found = this.#text.indexOf(char, from);
    return found < 0 ? this.#text.length : found;
  }

  #path(from: number, to: number): TagSegment[] {
    if (this.#text[from] !== "/") {
      this.#fail(from, "a path begins with a slash");
      return [];
    }
    const segments: TagSegment[] = [];
    for (let start = from + 1; start <= to;) {
      const end = Math.min(this.#until(start, "/"), to);
      const segment = this.#segment(start, end, end === to);
      if (segment !== undefined) segments.push(segment);
      start = end + 1;
    }
    return segments;
  }

  #segment(start: number, end: number, last: boolean): TagSegment | undefined {
    const parts: (string | Placeholder)[] = [];
    let remainder = false;
    let literal = "";
    const flush = (at: number, before: boolean) => {
      if (literal !== "") parts.push(literal);
      else if (before && parts.length > 0) this.#fail(at, "two placeholders touch: put a literal between them");
      literal = "";
    };
    for (let at = start; at < end;) {
      const char = this.#text[at];
      if (char === "{") {
        const close = this.#text.indexOf("}", at);
        if (close < 0 || close > end) {
          this.#fail(at, "the bracket { is not closed");
          return undefined;
        }
        const star = /^[^=]*\*(?==|$)/.test(this.#text.slice(at + 1, close));
        const placeholder = this.#placeholder(at, close, star);
        flush(at, true);
        if (placeholder !== undefined) parts.push(placeholder);
        if (star && placeholder !== undefined) remainder = true;
        at = close + 1;
      } else if (char === "%" && /^%(v|\[)/.test(this.#text.slice(at, at + 2))) {
        const verb = this.#verb(at, end);
        flush(at, true);
        if (verb !== undefined) {
          parts.push({
            name: this.#unique(`arg${verb.argument + 1}`, at),
            source: { argument: verb.argument },
            column: at + 1,
          });
        }
        at = verb?.end ?? end;
      } else {
        if (char === "}") this.#fail(at, "the bracket } has no opening one");
        else if (char === "#") this.#fail(at, "what stands behind # never arrives: clients keep it");
        else if (char === "%" && !/^%[0-9A-Fa-f]{2}/.test(this.#text.slice(at, at + 3))) {
          this.#fail(at, "a percent sign is %v, %[n]v or %XX");
        }
        literal += char;
        at++;
      }
    }
    flush(end, false);
    return this.#classify(parts, remainder, start, last);
  }

  #classify(parts: (string | Placeholder)[], remainder: boolean, start: number, last: boolean): TagSegment {
    const [only] = parts;
    if (remainder && parts.length > 1) {
      this.#fail(start, "a remainder takes whole segments: nothing may stand beside it");
    }
    if (parts.length === 0 && !last) this.#fail(start, "a segment is empty");
    if (parts.length === 1 && typeof only === "string" && /^(\.|%2e){1,2}$/i.test(only)) {
      this.#fail(start, `the segment "${only}" never arrives: clients resolve it`);
    }
    return { parts, remainder };
  }

  /** `{name=%v}`, `{name=%[2]v}`, `{name}`, `{A.b}`, each with `*` behind the name for a remainder. */
  #placeholder(open: number, close: number, star: boolean): Placeholder | undefined {
    const inner = this.#text.slice(open + 1, close);
    const equals = inner.indexOf("=");
    const name = (equals < 0 ? inner : inner.slice(0, equals)).replace(star ? /\*$/ : /$^/, "");
    if (!/^[^\s{}=%*/?#&]+$/.test(name)) {
      this.#fail(open + 1, `"${name}" is not a name`);
      return undefined;
    }
    if (equals < 0) {
      return { name: this.#unique(name, open + 1), source: { field: name.split(".") }, column: open + 2 };
    }
    const at = open + 1 + equals + 1;
    const verb = this.#verb(at, close);
    if (verb === undefined) return undefined;
    if (verb.end !== close) this.#fail(verb.end, "only %v or %[n]v stands behind the equals sign");
    return { name: this.#unique(name, open + 1), source: { argument: verb.argument }, column: at + 1 };
  }

  #unique(name: string, at: number): string {
    if (!this.#names.has(name)) {
      this.#names.add(name);
      return name;
    }
    if (!/^arg\d+$/.test(name)) this.#fail(at, `the name "${name}" stands twice in the path`);
    return this.#unique(`${name}_`, at);
  }

  /** `%v` or `%[n]v` at an index. */
  #verb(at: number, end: number): { argument: number; end: number } | undefined {
    const match = /^%(?:v|\[(\d{1,3})\]v)/.exec(this.#text.slice(at, end));
    if (match === null || match[1] === "0") {
      this.#fail(at, "expected %v or %[n]v");
      return undefined;
    }
    this.#last = match[1] === undefined ? this.#last + 1 : Number(match[1]);
    return { argument: this.#last - 1, end: at + match[0].length };
  }

  #query(from: number, to: number): TagQuery[] {
    const items: TagQuery[] = [];
    const names = new Set<string>();
    for (let start = from; start <= to;) {
      const end = Math.min(this.#until(start, "&"), to);
      const item = this.#queryItem(start, end);
      if (item !== undefined) {
        const key = item.type === "spread"
          ? undefined
          : item.type === "named"
          ? item.name
          : `${item.name}=${item.value}`;
        if (key !== undefined && names.has(key)) this.#fail(start, `the query "${key}" stands twice`);
        if (key !== undefined) names.add(key);
        items.push(item);
      }
      start = end + 1;
    }
    return items;
  }

  #queryItem(start: number, end: number): TagQuery | undefined {
    const text = this.#text.slice(start, end);
    if (text === "") {
      this.#fail(start, "a part of the query is empty");
      return undefined;
    }
    if (/^%(v|\[)/.test(text)) {
      const verb = this.#verb(start, end);
      if (verb === undefined) return undefined;
      if (verb.end !== end) this.#fail(verb.end, "nothing stands behind a spread argument but &");
      return { type: "spread", source: { argument: verb.argument }, column: start + 1 };
    }
    const equals = text.indexOf("=");
    const name = this.#decode(equals < 0 ? text : text.slice(0, equals), start);
    if (name === "") {
      this.#fail(start, "a query has no name");
      return undefined;
    }
    if (equals < 0) return { type: "named", name, source: { field: name.split(".") }, column: start + 1 };
    const value = text.slice(equals + 1);
    if (!/^%(v|\[)/.test(value)) return { type: "constant", name, value: this.#decode(value, start + equals + 1) };
    const verb = this.#verb(start + equals + 1, end);
    if (verb === undefined) return undefined;
    if (verb.end !== end) this.#fail(verb.end, "only %v or %[n]v stands behind the equals sign");
    return { type: "named", name, source: { argument: verb.argument }, column: start + equals + 2 };
  }

  #decode(text: string, at: number): string {
    try {
      return decodeURIComponent(text.replaceAll("+", " "));
    } catch {
      this.#fail(at, `"${text}" is not percent-encoded text`);
      return text;
    }
  }

  #rules(from: number): Pick<CheckedTag, "argumentRules" | "resultRules" | "errors" | "columns"> {
    let at = from < this.#text.length ? from + 1 : from;
    let argumentRules: string[] = [];
    const columns = { arguments: at + 1, results: at + 1, errors: at + 1 };
    if (this.#text[at] === "(") {
      const close = this.#text.indexOf(")", at);
      if (close < 0) this.#fail(at, "the bracket ( is not closed");
      const end = close < 0 ? this.#text.length : close;
      argumentRules = checkRules(this.#text, at + 1, end, this.#fail);
      at = end + 1;
      if (at < this.#text.length && this.#text[at] !== " ") this.#fail(at, "one space stands before the result rules");
      at++;
      columns.results = at + 1;
    } else if (from < this.#text.length && at >= this.#text.length) {
      this.#fail(from, "the tag ends with a space");
    }
    const text = this.#text.slice(at);
    const bang = text.startsWith("!") ? 0 : text.indexOf(" !") + 1;
    const hasErrors = text[bang] === "!";
    const resultRules = at < this.#text.length
      ? checkRules(this.#text, at, hasErrors ? at + bang - 1 : this.#text.length, this.#fail)
      : [];
    columns.errors = at + bang + 1;
    const errors = hasErrors ? text.slice(bang) : undefined;
    if (errors !== undefined) checkErrorWords(errors, at + bang, this.#fail);
    return { argumentRules, resultRules, errors, columns };
  }
}
