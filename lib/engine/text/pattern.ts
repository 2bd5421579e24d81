/**
 * Regular expressions of clients, in the syntax and with the promise of Go's `regexp` (RE2): a test takes time proportional to
 * the text, whatever the pattern. JavaScript's own go back and forth, so that one such as `(a+)+$` would halt the server.
 *
 * @module
 */
import { parsePattern, type PatternNode, type Zero } from "./pattern_parser.ts";

/** Tests a text. */
export type Pattern = (text: string) => boolean;

/** A program larger than this (repeats are written out) is refused. */
const MOST_STEPS = 2000;

type Step =
  | { do: "letter"; fits: (letter: string) => boolean }
  | { do: "zero"; at: Zero }
  | { do: "split"; to: number[] }
  | { do: "end" };

/** Letters that stand for themselves, and how a test is bound to the ends of a text: most clients ask for names so. */
export interface LiteralPattern {
  text: string;
  atStart: boolean;
  atEnd: boolean;
}

const LITERAL = /^(\^?)((?:[\w/:@, =%#&<>!;~-]|\\[./-])*)(\$?)$/;

/** Reads a pattern that is plain text, between `^` and `$` or without one of them; `undefined` for any other. */
export function readLiteral(source: string): LiteralPattern | undefined {
  // A longer one is refused as too large a program, or as too long.
  const [, start, escaped = "", end] = source.length < MOST_STEPS && LITERAL.exec(source) || [];
  if (start === undefined) return undefined;
  return { text: escaped.replaceAll("\\", ""), atStart: start !== "", atEnd: end !== "" };
}

/**
 * Compiles a pattern that may match anywhere in a text; without flags other than `i` and `s`.
 *
 * @throws {SyntaxError} if it does not parse, or is too large
 */
export function compilePattern(source: string): Pattern {
  const literal = readLiteral(source);
  return literal === undefined ? compileSteps(source) : compileLiteral(literal);
}

/** A list of ten thousand names is tested in a millisecond; the steps below would take twenty. */
function compileLiteral({ text: part, atStart, atEnd }: LiteralPattern): Pattern {
  if (atStart && atEnd) return (text) => text === part;
  if (atStart) return (text) => text.startsWith(part);
  return atEnd ? (text) => text.endsWith(part) : (text) => text.includes(part);
}

/** @internal Compiles any pattern, plain text too. */
export function compileSteps(source: string): Pattern {
  const steps: Step[] = [];
  emitSteps(parsePattern(source), steps);
  steps.push({ do: "end" });
  return (text) => runSteps(steps, text);
}

function emitSteps(node: PatternNode, steps: Step[]): void {
  if (steps.length > MOST_STEPS) throw new SyntaxError("Parse pattern: it is too large");
  switch (node.is) {
    case "letter":
      steps.push({ do: "letter", fits: node.fits });
      break;
    case "zero":
      steps.push({ do: "zero", at: node.at });
      break;
    case "all":
      for (const part of node.parts) emitSteps(part, steps);
      break;
    case "any":
      emitAny(node.parts, steps);
      break;
    case "repeat":
      for (let i = 0; i < node.least; i++) emitSteps(node.part, steps);
      if (node.most === Infinity) emitLoop(node.part, steps);
      else for (let i = node.least; i < node.most; i++) emitOption(node.part, steps);
  }
}

function emitAny(parts: readonly PatternNode[], steps: Step[]): void {
  const fork: number[] = [];
  const exit: number[] = [];
  steps.push({ do: "split", to: fork });
  for (const part of parts) {
    fork.push(steps.length);
    emitSteps(part, steps);
    steps.push({ do: "split", to: exit });
  }
  exit.push(steps.length);
}

function emitOption(part: PatternNode, steps: Step[]): void {
  const fork = [steps.length + 1];
  steps.push({ do: "split", to: fork });
  emitSteps(part, steps);
  fork.push(steps.length);
}

function emitLoop(part: PatternNode, steps: Step[]): void {
  const start = steps.length;
  const fork = [start + 1];
  steps.push({ do: "split", to: fork });
  emitSteps(part, steps);
  steps.push({ do: "split", to: [start] });
  fork.push(steps.length);
}

/** Follows all ways at once: each step is in the set of those reached at most once for each letter. */
function runSteps(steps: readonly Step[], text: string): boolean {
  const letters = [...text];
  const seen = new Int32Array(steps.length).fill(-1);
  let reached: number[] = [];
  for (let at = 0; at <= letters.length; at++) {
    // A match may begin at every letter.
    const open = [0, ...reached].reverse();
    reached = [];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (seen[step] === at) continue;
      seen[step] = at;
      const it = steps[step];
      if (it.do === "end") return true;
      if (it.do === "split") open.push(...it.to);
      else if (it.do === "zero") { if (zeroHolds(it.at, letters, at)) open.push(step + 1); }
      else if (at < letters.length && it.fits(letters[at])) reached.push(step + 1);
    }
  }
  return false;
}

function zeroHolds(zero: Zero, letters: readonly string[], at: number): boolean {
  if (zero === "start") return at === 0;
  if (zero === "end") return at === letters.length;
  const isBorder = isWord(letters[at - 1]) !== isWord(letters[at]);
  return isBorder === (zero === "border");
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /^\w$/.test(letter);
}
