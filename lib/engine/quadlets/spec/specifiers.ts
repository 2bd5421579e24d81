/**
 * Specifiers and variables in the command lines of units, systemd.unit(5) and systemd.service(5).
 *
 * @module
 */

/** The facts of a unit and of the machine that specifiers stand for. */
export interface SpecifierFacts {
  /** The unit's name with `.service`; of an instance with what stands behind the `@`. */
  unit: string;
  /** Values of further specifiers by their letters: `h` for the home folder, `H` for the host's name. */
  values?: Readonly<Record<string, string>>;
}

/** Values of the system's own manager that are the same on all machines. */
const SYSTEM: Readonly<Record<string, string>> = {
  ...{ C: "/var/cache", E: "/etc", L: "/var/log", S: "/var/lib", T: "/tmp", V: "/var/tmp", t: "/run" },
  ...{ h: "/root", u: "root", U: "0", g: "root", G: "0", s: "/bin/sh" },
};

/** Returns the meaning of each specifier of a unit. */
export function specifiersOf({ unit, values = {} }: SpecifierFacts): ReadonlyMap<string, string> {
  const name = unit.replace(/\.service$/, "");
  const [, prefix = name, instance = ""] = /^([^@]*)@(.*)$/s.exec(name) ?? [];
  const own = { n: unit, N: name, p: prefix, P: unescapeName(prefix), i: instance, I: unescapeName(instance) };
  const [dashed = ""] = /[^-]*$/.exec(prefix) ?? [];
  return new Map(Object.entries({ ...SYSTEM, ...own, j: dashed, J: unescapeName(dashed), "%": "%", ...values }));
}

/** Replaces the specifiers of a text. Throws `SyntaxError` for one that is not known. */
export function expandSpecifiers(text: string, specifiers: ReadonlyMap<string, string>): string {
  return text.replace(/%(.?)/gs, (_, letter: string) => {
    const value = specifiers.get(letter);
    if (value === undefined) throw new SyntaxError(`the specifier %${letter} is not known here`);
    return value;
  });
}

/**
 * Replaces the variables of a command's words: `${NAME}` within a word, `$NAME` as a whole word, which becomes as many words as its
 * value has. `$$` is a dollar. One that is not set is empty.
 */
export function replaceVariables(words: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const valueOf = (name: string) => Object.hasOwn(env, name) ? env[name] : "";
  return words.flatMap((word) => {
    const whole = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(word)?.[1];
    if (whole !== undefined) return valueOf(whole).split(/\s+/).filter((part) => part !== "");
    return [
      word.replace(/\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)\})/g, (_, name?: string) => {
        return name === undefined ? "$" : valueOf(name);
      }),
    ];
  });
}

/** Takes back the escapes of a unit's name: a dash stands for a slash. */
function unescapeName(text: string): string {
  return text.replaceAll("-", "/").replace(/\\x([0-9a-fA-F]{2})/g, (_, digits: string) => {
    return String.fromCharCode(parseInt(digits, 16));
  });
}
