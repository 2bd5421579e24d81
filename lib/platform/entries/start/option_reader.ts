/**
 * Options of a command as its user gives them: on its line, or as variables `GANTRY_…`.
 *
 * @module
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** The options of a command, in the form of node:util's `parseArgs`. */
export type OptionShapes = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly multiple?: boolean; readonly short?: string }>
>;

/** Reads options by their names: those of the line win over variables. */
export class OptionReader<S extends OptionShapes> {
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #env: Readonly<Record<string, string | undefined>>;

  /** Throws `SyntaxError` where an option is unknown, or lacks its value. */
  constructor(shapes: S, args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    // `deno task` hands on the divider that npm's users put in front of options.
    const options = args[0] === "--" ? args.slice(1) : [...args];
    try {
      this.#given = parseArgs({ args: options, options: shapes }).values;
    } catch (error) {
      throw new SyntaxError(`Read options: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
    this.#env = env;
  }

  /** The text of an option. Throws `SyntaxError` for an empty one. */
  value(name: keyof S & string): string | undefined {
    const text = this.#given[name] ?? (this.#env[variableName(name)] || undefined);
    if (text === "") throw new SyntaxError(`Read options: "--${name}" has no value`);
    return typeof text === "string" ? text : undefined;
  }

  /** The full path of an option that names a file or a folder. */
  path(name: keyof S & string): string | undefined {
    const path = this.value(name);
    return path === undefined ? undefined : resolve(path);
  }

  /** Every text of an option that may be repeated; those of its variable are separated by commas. */
  list(name: keyof S & string): string[] {
    const given = this.#given[name];
    return Array.isArray(given) ? given : splitList(this.#env[variableName(name)]);
  }

  /** Whether an option without a value is given. */
  isSet(name: keyof S & string): boolean {
    return this.#given[name] === true || /^(1|true|yes)$/i.test(this.#env[variableName(name)] ?? "");
  }

  /** The option's text, which has to be one of these; `usual` where none is given. Throws `SyntaxError` for another text. */
  choice<T extends string>(name: keyof S & string, usual: T, choices: readonly T[], what: string): T {
    const text = this.value(name) ?? usual;
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    const names = choices.length > 2 ? choices.join(", ") : choices.join(" or ");
    throw new SyntaxError(`Read options: "${text}" is no ${what}: use ${names}`);
  }
}

function splitList(text = ""): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

function variableName(option: string): string {
  return `GANTRY_${option.toUpperCase().replaceAll("-", "_")}`;
}
