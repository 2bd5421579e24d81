/**
 * Unit files in systemd's syntax, systemd.syntax(7): read within bounds, looked up, changed and written.
 *
 * @module
 */
import { QuadletError } from "./quadlet_error.ts";
import { splitWords } from "../units/words.ts";

/** The most characters of a file. */
export const UNIT_LIMIT = 256 * 1024;
const LINE_LIMIT = 10_000;

/** A file as it is given: its name and its text. */
export interface QuadletFile {
  /** `web.container`; a drop-in is `web.container.d/10-more.conf`. */
  name: string;
  text: string;
}

/** An assignment. */
export interface UnitEntry {
  key: string;
  /** Without the white space around it, and in one line. */
  value: string;
  /** The file and line that it stands at; an entry that the conversion makes has none. */
  file?: string;
  line?: number;
}

const TRUE = new Set(["1", "yes", "true", "on", "y", "t"]);
const FALSE = new Set(["0", "no", "false", "off", "n", "f"]);

/** A unit: sections of entries, where a key may be repeated and an empty value takes back what stands before. */
export class UnitFile {
  readonly name: string;
  /** The sections in the order of their first line. */
  readonly sections: Map<string, UnitEntry[]> = new Map();

  constructor(name: string) {
    this.name = name;
  }

  /** Returns a copy that shares nothing. */
  copy(): UnitFile {
    const copy = new UnitFile(this.name);
    for (const [name, entries] of this.sections) copy.sections.set(name, [...entries]);
    return copy;
  }

  /** The entries of a key that count: those after its last empty assignment. */
  entries(section: string, key: string): UnitEntry[] {
    const all = (this.sections.get(section) ?? []).filter((entry) => entry.key === key);
    return all.slice(all.findLastIndex(({ value }) => value === "") + 1);
  }

  /** The last entry of a key, which may be an empty one. */
  last(section: string, key: string): UnitEntry | undefined {
    return this.sections.get(section)?.findLast((entry) => entry.key === key);
  }

  /** The last value of a key, without quotes around the whole; `undefined` where the key is not there. */
  value(section: string, key: string): string | undefined {
    const value = this.last(section, key)?.value;
    return value && /^(["'])[^"']*\1$/.test(value) ? value.slice(1, -1) : value;
  }

  /** Every value of a key that counts, each whole. */
  values(section: string, key: string): string[] {
    return this.entries(section, key).map(({ value }) => value);
  }

  /** The words of every value of a key that counts. */
  words(section: string, key: string): string[] {
    return this.entries(section, key).flatMap((entry) => this.#split(entry));
  }

  /** The words of the last value of a key. */
  lastWords(section: string, key: string): string[] {
    const entry = this.last(section, key);
    return entry === undefined ? [] : this.#split(entry);
  }

  /** The pairs of all words `KEY=VALUE` of a key: the last of a name counts. A word without a `=` has no value. */
  pairs(section: string, key: string): Map<string, string | undefined> {
    const pairs = new Map<string, string | undefined>();
    for (const word of this.words(section, key)) {
      const at = word.indexOf("=");
      if (at === 0) throw this.fault(section, key, `"${word}" has no name before the =`);
      if (at < 0) pairs.set(word, undefined);
      else pairs.set(word.slice(0, at), word.slice(at + 1));
    }
    return pairs;
  }

  /** A boolean in systemd's words; `undefined` where the key is absent or empty. */
  flag(section: string, key: string): boolean | undefined {
    const value = this.value(section, key)?.toLowerCase();
    if (value === undefined || value === "") return undefined;
    if (TRUE.has(value)) return true;
    if (FALSE.has(value)) return false;
    throw this.fault(section, key, `"${value}" is not a boolean`);
  }

  /** A number of 32 bits; `undefined` where the key is absent or empty. */
  number(section: string, key: string): number | undefined {
    const value = this.value(section, key);
    if (value === undefined || value === "") return undefined;
    if (/^\d{1,10}$/.test(value) && Number(value) < 2 ** 32) return Number(value);
    throw this.fault(section, key, `"${value}" is not a number from 0 to ${2 ** 32 - 1}`);
  }

  /** Appends an entry. */
  add(section: string, key: string, value: string): void {
    this.#section(section).push({ key, value });
  }

  /** Puts an entry before all others of its section. */
  prepend(section: string, key: string, value: string): void {
    this.#section(section).unshift({ key, value });
  }

  /** Replaces every entry of a key by one. */
  set(section: string, key: string, value: string): void {
    this.drop(section, key);
    this.add(section, key, value);
  }

  /** Drops every entry of a key. */
  drop(section: string, key: string): void {
    const entries = this.sections.get(section);
    if (entries !== undefined) this.sections.set(section, entries.filter((entry) => entry.key !== key));
  }

  /** Gives a section another name, in its place. */
  rename(from: string, to: string): void {
    const all = [...this.sections];
    this.sections.clear();
    for (const [name, entries] of all) this.sections.set(name === from ? to : name, entries);
  }

  /** Makes an error about a key that names its file and line. */
  fault(section: string, key: string, why: string, options?: { isMendable?: boolean }): QuadletError {
    const { file = this.name, line } = this.last(section, key) ?? {};
    return new QuadletError({ file, line, key }, why, options);
  }

  /** The unit as text. */
  toString(): string {
    const parts = [...this.sections].filter(([, entries]) => entries.length > 0);
    return parts.map(([name, entries]) => {
      return `[${name}]\n${entries.map(({ key, value }) => `${key}=${value}\n`).join("")}`;
    }).join("\n");
  }

  #section(name: string): UnitEntry[] {
    const known = this.sections.get(name);
    if (known !== undefined) return known;
    const entries: UnitEntry[] = [];
    this.sections.set(name, entries);
    return entries;
  }

  #split({ key, value, file = this.name, line }: UnitEntry): string[] {
    try {
      return splitWords(value);
    } catch (error) {
      throw new QuadletError({ file, line, key }, (error as RangeError).message);
    }
  }
}

/**
 * Reads a unit and the drop-ins that belong to it, in their order: what they say comes after what the file says.
 *
 * @throws {@linkcode QuadletError} for what is no unit file
 */
export function parseUnit(file: QuadletFile, dropIns: readonly QuadletFile[] = []): UnitFile {
  const unit = new UnitFile(file.name);
  for (const part of [file, ...dropIns]) {
    for (const { section, entry } of readEntries(part)) {
      const entries = unit.sections.get(section) ?? [];
      if (entry !== undefined) entries.push(entry);
      unit.sections.set(section, entries);
    }
  }
  return unit;
}

function* readEntries({ name: file, text }: QuadletFile): Generator<{ section: string; entry?: UnitEntry }> {
  if (text.length > UNIT_LIMIT) throw new QuadletError({ file }, `longer than ${UNIT_LIMIT} characters`);
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines.length > LINE_LIMIT) throw new QuadletError({ file }, `more than ${LINE_LIMIT} lines`);
  let section: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    if (lines[at].includes("\0")) throw new QuadletError({ file, line }, "a NUL character");
    if (isBlank(lines[at])) continue;
    let whole = lines[at];
    while (whole.endsWith("\\")) {
      // Comments may stand between the lines of a value.
      do at++; while (at < lines.length && isComment(lines[at]));
      if (lines[at]?.includes("\0")) throw new QuadletError({ file, line: at + 1 }, "a NUL character");
      whole = `${whole.slice(0, -1)} ${lines[at] ?? ""}`;
    }
    const head = /^\s*\[([^[\]\s][^[\]]*)\]\s*$/.exec(whole)?.[1];
    if (head !== undefined) {
      section = head;
      yield { section };
      continue;
    }
    const equals = whole.indexOf("=");
    const key = whole.slice(0, Math.max(equals, 0)).trim();
    if (!/^[A-Za-z0-9_-]+$/.test(key)) throw new QuadletError({ file, line }, "neither a section nor KEY=VALUE");
    if (section === undefined) throw new QuadletError({ file, line, key }, "stands before the first section");
    yield { section, entry: { key, value: whole.slice(equals + 1).trim(), file, line } };
  }
}

function isComment(line: string): boolean {
  return /^\s*[#;]/.test(line);
}

function isBlank(line: string): boolean {
  return line.trim() === "" || isComment(line);
}
