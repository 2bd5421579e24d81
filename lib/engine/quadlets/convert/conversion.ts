import { cleanPath } from "../../../oci/clean_path.ts";
import type { QuadletKind } from "../quadlet_kinds.ts";
import type { QuadletError } from "../quadlet_error.ts";
import type { UnitFile } from "../unit_file.ts";
import { joinWords } from "../../units/words.ts";
import type { UnitInfo } from "./unit_info.ts";

/** The place where a quadlet's unit will run. */
export interface QuadletOptions {
  /** The folder of the quadlets; relative paths start there. `/etc/containers/systemd` by default. */
  folder?: string;
  /** The program; `/usr/bin/podman` by default. */
  podman?: string;
  /** The unit is of a user's own systemd, not of the system's. */
  isUser?: boolean;
  /** Whether a path exists, for devices that may be absent; `true` by default. */
  hasPath?: (path: string) => boolean;
}

/** A quadlet on its way to a unit: what is read of it, the unit that comes of it, and the other units. */
export class Conversion {
  readonly quadlet: UnitFile;
  readonly kind: QuadletKind;
  /** The systemd unit, filled step by step. */
  readonly service: UnitFile;
  readonly info: UnitInfo;
  readonly units: ReadonlyMap<string, UnitInfo>;
  readonly options: Required<QuadletOptions>;

  constructor(
    { quadlet, kind, info, units, options }: Pick<Conversion, "quadlet" | "kind" | "info" | "units" | "options">,
  ) {
    this.quadlet = quadlet;
    this.kind = kind;
    this.info = info;
    this.units = units;
    this.options = options;
    this.service = quadlet.copy();
  }

  /** The last value of one of the quadlet's own keys; `undefined` where it is absent or empty. */
  value(key: string): string | undefined {
    return this.quadlet.value(this.kind.section, key) || undefined;
  }

  /** All values of one of its own keys. */
  values(key: string): string[] {
    return this.quadlet.values(this.kind.section, key);
  }

  /** All words of one of its own keys. */
  words(key: string): string[] {
    return this.quadlet.words(this.kind.section, key);
  }

  /** A boolean of one of its own keys. */
  flag(key: string): boolean | undefined {
    return this.quadlet.flag(this.kind.section, key);
  }

  /** An error about one of its own keys. */
  fault(key: string, why: string, options?: { isMendable?: boolean }): QuadletError {
    return this.quadlet.fault(this.kind.section, key, why, options);
  }

  /** An absolute path; one that begins with a specifier is left to systemd. */
  path(path: string): string {
    return path.startsWith("/") || startsWithSpecifier(path) ? path : cleanPath(`${this.options.folder}/${path}`);
  }

  /** Notes that the unit needs another, and starts after it. Throws where nobody knows the other. */
  require(name: string, key: string): UnitInfo {
    const info = this.units.get(name);
    if (info === undefined) throw this.fault(key, `there is no quadlet ${name}`, { isMendable: true });
    if (info.resource === "") throw this.fault(key, `the name of what ${name} makes is not known before it runs`);
    this.service.add("Unit", "Requires", info.service);
    this.service.add("Unit", "After", info.service);
    return info;
  }

  /** A command line of Podman with the quadlet's modules and global arguments. */
  command(...words: string[]): CommandLine {
    const { podman } = this.options;
    const modules = this.values("ContainersConfModule").map((module) => `--module=${module}`);
    return new CommandLine(this, [podman, ...modules, ...this.words("GlobalArgs"), ...words]);
  }

  /** Sets a key of `[Service]` that the quadlet leaves open. */
  default(key: string, value: string): void {
    if (this.service.last("Service", key) === undefined) this.service.set("Service", key, value);
  }
}

/** A command line that grows; every method gives the command itself. */
export class CommandLine {
  readonly words: string[];
  readonly #conversion: Conversion;

  constructor(conversion: Conversion, words: string[]) {
    this.#conversion = conversion;
    this.words = words;
  }

  /** Appends words. */
  add(...words: string[]): this {
    this.words.push(...words);
    return this;
  }

  /** Appends the option of each key that has a value. */
  addValues(options: Readonly<Record<string, string>>): this {
    for (const [key, option] of Object.entries(options)) {
      const value = this.#conversion.value(key);
      if (value !== undefined) this.add(option, value);
    }
    return this;
  }

  /** Appends the option of each key as often as it has values. */
  addLists(options: Readonly<Record<string, string>>): this {
    for (const [key, option] of Object.entries(options)) {
      for (const value of this.#conversion.values(key)) this.add(option, value);
    }
    return this;
  }

  /** Appends the option of each key as often as its values have words. */
  addWords(options: Readonly<Record<string, string>>): this {
    for (const [key, option] of Object.entries(options)) {
      for (const word of this.#conversion.words(key)) this.add(option, word);
    }
    return this;
  }

  /** Appends the option of each boolean key; `--option=false` for no. */
  addFlags(options: Readonly<Record<string, string>>): this {
    for (const [key, option] of Object.entries(options)) {
      const flag = this.#conversion.flag(key);
      if (flag !== undefined) this.add(flag ? option : `${option}=false`);
    }
    return this;
  }

  /** Appends the option of each key for its pairs, sorted by their names. */
  addPairs(options: Readonly<Record<string, string>>): this {
    const { quadlet, kind } = this.#conversion;
    for (const [key, option] of Object.entries(options)) {
      const pairs = [...quadlet.pairs(kind.section, key)].sort(([a], [b]) => a < b ? -1 : 1);
      for (const [name, value] of pairs) this.add(option, value === undefined ? name : `${name}=${value}`);
    }
    return this;
  }

  /** Writes the command to a key of `[Service]`. */
  write(key: string): void {
    this.#conversion.service.add("Service", key, joinWords(this.words));
  }
}

/** Whether a text begins with one of systemd's specifiers; `%%` is none. */
export function startsWithSpecifier(text: string): boolean {
  return text.startsWith("%") && !text.startsWith("%%");
}
