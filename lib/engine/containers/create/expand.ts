import { invalid } from "../../errors.ts";

/** Variables of the words below. */
type Variables = ReadonlyMap<string, string>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
/** Of a braced variable: its name, and what to use in its place where it is empty (`:-`) or not (`:+`). */
const BRACED = /^\{([A-Za-z_][A-Za-z0-9_]*)(?::([-+])((?:[^}\\]|\\.)*))?\}/;

/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}` in a text as image builders do: quotes are taken
 * away, single ones keep what they hold, a backslash keeps the letter after it. Throws `invalid` for what does not parse.
 */
export function expandWord(text: string, variables: Variables): string {
  let result = "";
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quote === "'") {
      if (letter === quote) quote = "";
      else result += letter;
    } else if (letter === "\\") {
      // Between double quotes only what means something there is kept from it.
      const next = text[++at] ?? "\\";
      result += quote === '"' && !'"\\$'.includes(next) ? `\\${next}` : next;
    } else if (letter === '"' || (letter === "'" && quote === "")) {
      quote = quote === letter ? "" : letter;
    } else if (letter === "$") {
      const [value, length] = variable(text.slice(at + 1), variables);
      result += value;
      at += length;
    } else result += letter;
  }
  if (quote !== "") throw invalid(`unable to process variables for --env-merge ${text}: unexpected end of statement`);
  return result;
}

/** The value of what stands after a `$`, and how much of the text it is. */
function variable(rest: string, variables: Variables): [value: string, length: number] {
  const braced = BRACED.exec(rest);
  if (braced) {
    const [all, name, modifier, word = ""] = braced;
    const value = variables.get(name) ?? "";
    const other = () => expandWord(word, variables);
    if (modifier === "-") return [value === "" ? other() : value, all.length];
    if (modifier === "+") return [value === "" ? "" : other(), all.length];
    return [value, all.length];
  }
  if (rest.startsWith("{")) throw invalid(`unable to process variables for --env-merge: bad substitution "$${rest}"`);
  const [name = ""] = NAME.exec(rest) ?? [];
  return name === "" ? ["$", 0] : [variables.get(name) ?? "", name.length];
}
