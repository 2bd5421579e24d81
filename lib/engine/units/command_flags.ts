/**
 * Reads the flags of a command line of Podman, of which only some are known.
 *
 * @module
 */
import { EngineError } from "../errors.ts";

/** The flags of a command line, and where they end. */
export interface CommandFlags {
  /** The values of each known flag that is given, in order; `true` or `false` for one without a value. */
  values: Map<string, string[]>;
  /** The flags that are not known, as they are spelled: `--foo`, `-x`. */
  unknown: string[];
  /** How many arguments stand at the end: the image and its command. */
  rest: number;
}

/** The flags to be known: the long name of each, its letter, and whether it takes a value. */
export type KnownFlags = Readonly<Record<string, { letter?: string; takesValue: boolean }>>;

/**
 * Reads flags up to the first argument that is none. A word after an unknown flag is taken for its value, as Podman takes it.
 * Throws `invalid` for a known flag without its value.
 */
export function readFlags(args: readonly string[], known: KnownFlags): CommandFlags {
  const values = new Map<string, string[]>();
  const unknown: string[] = [];
  const add = (name: string, value: string) => void values.set(name, [...values.get(name) ?? [], value]);
  const letters = new Map(Object.entries(known).flatMap(([name, { letter }]) => letter ? [[letter, name]] : []));
  let at = 0;
  const skipValue = () => {
    if (at < args.length && !args[at].startsWith("-")) at++;
  };
  const takeValue = (flag: string): string => {
    if (at === args.length) throw badCommand(`flag needs an argument: ${flag}`);
    return args[at++];
  };
  while (at < args.length) {
    const word = args[at];
    if (word.length < 2 || word[0] !== "-") break;
    at++;
    if (word === "--") break;
    if (!word.startsWith("--")) {
      readLetters(word.slice(1));
      continue;
    }
    const [, name, value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (!Object.hasOwn(known, name)) {
      unknown.push(`--${name}`);
      if (value === undefined) skipValue();
    } else add(name, value ?? (known[name].takesValue ? takeValue(word) : "true"));
  }
  return { values, unknown, rest: args.length - at };

  function readLetters(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const name = letters.get(text[i]);
      const value = text[i + 1] === "=" ? text.slice(i + 2) : undefined;
      if (name === undefined) {
        unknown.push(`-${text[i]}`);
        if (value !== undefined) return;
        skipValue();
      } else if (value !== undefined) {
        return add(name, value);
      } else if (known[name].takesValue) {
        return add(name, i + 1 < text.length ? text.slice(i + 1) : takeValue(`-${text[i]}`));
      } else add(name, "true");
    }
  }
}

/** Whether a flag without a value is set; the last one counts. Throws `invalid` for what is neither true nor false. */
export function flagSet({ values }: CommandFlags, name: string): boolean {
  const value = values.get(name)?.at(-1);
  if (value === undefined) return false;
  if (/^(?:1|t|true|T|TRUE|True)$/.test(value)) return true;
  if (/^(?:0|f|false|F|FALSE|False)$/.test(value)) return false;
  throw badCommand(`invalid argument "${value}" for "--${name}" flag`);
}

function badCommand(text: string): EngineError {
  return new EngineError("invalid", `parsing remaining command-line arguments: ${text}`);
}
