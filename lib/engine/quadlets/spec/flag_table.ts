/**
 * Commands of Podman as tables: what each flag means to what the engine is to make.
 *
 * @module
 */
import { type KnownFlags, readFlags } from "../../units/command_flags.ts";

/** The meaning of a flag. */
export interface FlagRule<T> {
  letter?: string;
  /** It takes no value: its values are `true` and `false`. */
  isSwitch?: true;
  /** Applies every value that it is given, in order. */
  apply(target: T, values: string[]): void;
}

/** The flags of a command, by their long names. */
export type FlagTable<T> = Readonly<Record<string, FlagRule<T>>>;

/** The words of a command behind its flags, and the flags that mean nothing to the engine. */
export interface FlagOutcome {
  rest: string[];
  unknown: string[];
}

/**
 * Applies the flags of a command.
 *
 * @param fault Makes the error of a flag whose value cannot be, out of the error of who read it
 */
export function applyFlags<T>(
  words: readonly string[],
  table: FlagTable<T>,
  target: T,
  fault: (flag: string, error: unknown) => unknown,
): FlagOutcome {
  const known: KnownFlags = Object.fromEntries(
    Object.entries(table).map(([name, { letter, isSwitch }]) => [name, { letter, takesValue: !isSwitch }]),
  );
  const { values, unknown, rest } = readFlags(words, known);
  for (const [name, given] of values) {
    try {
      table[name].apply(target, given);
    } catch (error) {
      throw fault(name, error);
    }
  }
  return { rest: words.slice(words.length - rest), unknown };
}

/** A flag that is known, and needs nothing here. */
export function ignoreFlag<T>(options: Omit<FlagRule<T>, "apply"> = {}): FlagRule<T> {
  return { ...options, apply: () => {} };
}

/** A flag of which the last value counts. */
export function takeLast<T>(apply: (target: T, value: string) => void, letter?: string): FlagRule<T> {
  return { letter, apply: (target, values) => apply(target, values[values.length - 1]) };
}

/** A flag that is on or off. Throws `SyntaxError` for another value. */
export function takeSwitch<T>(apply: (target: T, isOn: boolean) => void, letter?: string): FlagRule<T> {
  return {
    letter,
    isSwitch: true,
    apply: (target, values) => apply(target, readSwitch(values[values.length - 1])),
  };
}

/** Reads a whole number, -1 included. Throws `SyntaxError`. */
export function readNumber(text: string): number {
  if (/^(?:-1|\d{1,15})$/.test(text)) return Number(text);
  throw new SyntaxError(`"${text}" is not a number`);
}

function readSwitch(text: string): boolean {
  if (/^(?:1|t|true)$/i.test(text)) return true;
  if (/^(?:0|f|false)$/i.test(text)) return false;
  throw new SyntaxError(`"${text}" is neither true nor false`);
}
