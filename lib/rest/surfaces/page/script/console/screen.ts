import { styleAfter } from "./text_style.ts";

/** Characters of one style that stand side by side. */
export interface Run {
  readonly text: string;
  /** Class names; empty for plain text. */
  readonly style: string;
}

/** The changes of a screen since the last time. */
export interface ScreenChanges {
  /** How many lines have gone at the top. */
  readonly gone: number;
  /** How many lines there are. */
  readonly count: number;
  /** The lines that are new or changed, by their place, in order. */
  readonly lines: readonly (readonly [place: number, runs: readonly Run[]])[];
}

interface Cell {
  readonly character: string;
  readonly style: string;
}

/** The lines that stay. */
const KEPT = 2000;
/** No line is longer. */
const WIDEST = 1000;
/** Nor is an escape sequence. */
const LONGEST_ESCAPE = 4096;

// deno-lint-ignore no-control-regex
const ESCAPE = /^\x1b(?:\[([0-9;:?<=>!]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()*+#%][ -~]|[0-Z\\^-~])/;
/** The beginning of one, at the end of what has come. */
// deno-lint-ignore no-control-regex
const BEGUN = /^\x1b(?:\[[0-9;:?<=>!]*[ -/]*|\][^\x07\x1b]*\x1b?|[()*+#%])?$/;

/**
 * A small terminal: text with carriage returns, colours and the usual movements of the cursor. Sequences that it does not know leave no
 * trace. The screen proper is the last lines, as many as the terminal has rows.
 */
export class Screen {
  #lines: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #style = "";
  #escape = "";
  #gone = 0;
  readonly #changed = new Set<Cell[]>();

  /** A terminal has a size; text without one goes on in its line. */
  constructor(public rows = Infinity, public columns = Infinity) {
    this.#changed.add(this.#lines[0]);
  }

  /** Writes text; `base` is a style that is added to its own. */
  write(text: string, base = ""): void {
    let rest = this.#escape + text;
    this.#escape = "";
    while (rest !== "") {
      const at = rest.indexOf("\x1b");
      for (const character of at < 0 ? rest : rest.slice(0, at)) this.#put(character, base);
      if (at < 0) return;
      rest = rest.slice(at);
      const found = ESCAPE.exec(rest);
      if (found === null && rest.length < LONGEST_ESCAPE && BEGUN.test(rest)) {
        this.#escape = rest;
        return;
      }
      if (found?.[2] !== undefined) this.#control(found[1], found[2]);
      if (found?.[0] === "\x1bc") this.#erase(0, this.#lines.length);
      rest = rest.slice(found?.[0].length ?? 1);
    }
  }

  /** Returns the changes since the last call. */
  take(): ScreenChanges {
    const lines = this.#lines.flatMap((line, place) => this.#changed.has(line) ? [[place, runsOf(line)] as const] : []);
    this.#changed.clear();
    const gone = this.#gone;
    this.#gone = 0;
    return { gone, count: this.#lines.length, lines };
  }

  #put(character: string, base: string): void {
    switch (character) {
      case "\n":
      case "\v":
      case "\f":
        return this.#feed();
      case "\r":
        this.#column = 0;
        return;
      case "\b":
        this.#column = Math.max(0, this.#column - 1);
        return;
      case "\t":
        this.#column = Math.min(Math.min(this.columns, WIDEST) - 1, (this.#column >> 3) + 1 << 3);
        return;
    }
    if (character < " " || character === "\x7f") return;
    if (this.#column >= Math.min(this.columns, WIDEST)) this.#feed();
    const line = this.#lines[this.#row];
    while (line.length < this.#column) line.push({ character: " ", style: "" });
    line[this.#column++] = { character, style: `${this.#style} ${base}`.trim() };
    this.#changed.add(line);
  }

  /** Goes to the beginning of the next line. A terminal's own output says so with a carriage return, too. */
  #feed(): void {
    this.#column = 0;
    this.#goTo(this.#row + 1);
  }

  /** Goes to a line, which is made if need be; the oldest lines go. */
  #goTo(row: number): void {
    while (this.#lines.length <= row) {
      const line: Cell[] = [];
      this.#lines.push(line);
      this.#changed.add(line);
    }
    this.#row = row;
    const more = this.#lines.length - KEPT;
    if (more <= 0) return;
    for (const line of this.#lines.splice(0, more)) this.#changed.delete(line);
    this.#row = Math.max(0, this.#row - more);
    this.#gone += more;
  }

  /** The first line of the screen proper. */
  get #top(): number {
    return Math.max(0, this.#lines.length - this.rows);
  }

  #control(parameters: string, final: string): void {
    const numbers = parameters.split(/[;:]/).map((part) => Math.min(WIDEST, Number(part) || 0));
    const [first] = numbers;
    const count = Math.max(1, first);
    switch (final) {
      case "m":
        this.#style = styleAfter(this.#style, numbers);
        return;
      case "A":
        return this.#goTo(Math.max(this.#top, this.#row - count));
      case "B":
        return this.#goTo(Math.min(this.#bottom, this.#row + count));
      case "C":
        this.#column = Math.min(Math.min(this.columns, WIDEST) - 1, this.#column + count);
        return;
      case "D":
        this.#column = Math.max(0, this.#column - count);
        return;
      case "G":
        this.#column = count - 1;
        return;
      case "d":
        return this.#goTo(Math.min(this.#bottom, this.#top + count - 1));
      case "H":
      case "f":
        this.#column = Math.max(1, numbers[1] ?? 1) - 1;
        return this.#goTo(Math.min(this.#bottom, this.#top + count - 1));
      case "K":
        return this.#eraseInLine(first);
      case "J":
        return this.#eraseInScreen(first);
      case "P":
        this.#lines[this.#row].splice(this.#column, count);
        this.#changed.add(this.#lines[this.#row]);
    }
  }

  /** The last line that the cursor can go to. */
  get #bottom(): number {
    return Number.isFinite(this.rows) ? this.#top + this.rows - 1 : this.#lines.length - 1;
  }

  #eraseInLine(part: number): void {
    const line = this.#lines[this.#row];
    if (part === 0) line.length = Math.min(line.length, this.#column);
    else {
      const end = part === 1 ? Math.min(line.length, this.#column + 1) : line.length;
      line.fill({ character: " ", style: "" }, 0, end);
    }
    this.#changed.add(line);
  }

  #eraseInScreen(part: number): void {
    if (part === 0) {
      this.#eraseInLine(0);
      this.#erase(this.#row + 1, this.#lines.length);
    } else if (part === 1) this.#erase(this.#top, this.#row);
    else this.#erase(this.#top, this.#lines.length);
  }

  #erase(from: number, to: number): void {
    for (const line of this.#lines.slice(from, to)) {
      line.length = 0;
      this.#changed.add(line);
    }
  }
}

function runsOf(line: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let at = 1; at <= line.length; at++) {
    if (at < line.length && line[at].style === line[from].style) continue;
    runs.push({ text: line.slice(from, at).map(({ character }) => character).join(""), style: line[from].style });
    from = at;
  }
  return runs;
}
