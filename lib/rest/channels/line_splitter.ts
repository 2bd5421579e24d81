/** The longest line that is accepted, in characters. */
const LONGEST = 67_108_864;

/** Cuts text that comes in pieces into lines. The pieces of a line are put together only once the line has ended. */
export class LineSplitter {
  readonly #ends: string | RegExp;
  #rest: string[] = [];
  #length = 0;
  readonly #longest: number;

  /**
   * `ends` is what ends a line: a line feed, or the three ends of server-sent events. `longest` is how many characters of one are kept until it
   * does.
   */
  constructor(ends: string | RegExp, longest: number = LONGEST) {
    this.#ends = ends;
    this.#longest = longest;
  }

  /**
   * The lines that end with this piece.
   *
   * @throws {RangeError} if a line is too long: 64 Mi characters unless told otherwise
   */
  push(text: string): string[] {
    // Most texts have line feeds alone, which are found several times as fast as by an expression.
    const ends = this.#ends;
    const lines = text.split(ends === "\n" || text.includes("\r") ? ends : "\n");
    const last = lines.pop() ?? "";
    if (lines.length > 0) {
      lines[0] = this.end() + lines[0];
    }
    this.#rest.push(last);
    this.#length += last.length;
    if (this.#length > this.#longest) throw new RangeError(`Read a line: longer than ${this.#longest} characters`);
    return lines;
  }

  /** Returns the text after the last end of a line. */
  end(): string {
    const rest = this.#rest.join("");
    this.#rest = [];
    this.#length = 0;
    return rest;
  }
}
