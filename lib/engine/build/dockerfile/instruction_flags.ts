import { EngineError } from "../../errors.ts";

/** The flags of one instruction, each taken once; {@linkcode InstructionFlags.requireNone} tells of what is left. */
export class InstructionFlags {
  readonly #left: { name: string; value: string | undefined }[];
  readonly #keyword: string;

  /** @param flags `--name` or `--name=value` */
  constructor(keyword: string, flags: readonly string[]) {
    this.#keyword = keyword;
    this.#left = flags.map((flag) => {
      const [, name, , value] = /^--([^=]*)(=(.*))?$/s.exec(flag) ?? [, flag];
      return { name: name ?? "", value };
    });
  }

  /** Takes a flag's value; `undefined` where it is absent. */
  text(name: string): string | undefined {
    const values = this.list(name);
    if (values.length > 1) throw invalidFlag(`Duplicate flag specified: ${name}`);
    return values[0];
  }

  /** Takes the values of a flag that may come several times. */
  list(name: string): string[] {
    const found = this.#left.filter((flag) => flag.name === name);
    for (const flag of found) this.#left.splice(this.#left.indexOf(flag), 1);
    return found.map(({ value }) => {
      if (value === undefined) throw invalidFlag(`Missing a value on flag: ${name}`);
      return value;
    });
  }

  /** Takes a flag that is there or not; `=false` takes it back. */
  isSet(name: string): boolean | undefined {
    const found = this.#left.filter((flag) => flag.name === name);
    for (const flag of found) this.#left.splice(this.#left.indexOf(flag), 1);
    if (found.length === 0) return undefined;
    const value = found.at(-1)!.value ?? "true";
    if (value !== "true" && value !== "false") {
      throw invalidFlag(`expecting boolean value for flag ${name}, not: ${value}`);
    }
    return value === "true";
  }

  /** Throws where a flag was not taken: the instruction has none of that name. */
  requireNone(): void {
    const [first] = this.#left;
    if (first) throw invalidFlag(`unknown flag: --${first.name} (${this.#keyword} has no such flag)`);
  }
}

function invalidFlag(why: string): EngineError {
  return new EngineError("invalid", why);
}
