/**
 * The instructions of a commit as clients write them, one by one: several to a text, one per line, with `=` for the first blank, or with
 * several values.
 */
export function splitChanges(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.replaceAll(/\\\r?\n/g, " ").split("\n"));
  return lines.map((line) => line.trim()).filter((line) => line !== "").flatMap(splitChange);
}

function splitChange(line: string): string[] {
  const [, name, rest] = /^([^\s=]+)[\s=]\s*(.*)$/s.exec(line) ?? [];
  if (name === undefined) return [line];
  switch (name.toUpperCase()) {
    case "ENV":
    case "LABEL": {
      const words = wordsOf(rest);
      // The older spelling has one name, and blanks in its value.
      if (!words[0]?.includes("=")) return [`${name} ${rest.replace(/^(\S+)\s+/, "$1=")}`];
      return words.map((word) => `${name} ${word}`);
    }
    case "EXPOSE":
      return wordsOf(rest).map((word) => `${name} ${word}`);
  }
  return [`${name} ${rest}`];
}

/** Words between blanks, quotes and backslashes taken out of them. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + text[++at];
    else if (quote !== "") {
      if (letter === quote) quote = "";
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= "";
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}
