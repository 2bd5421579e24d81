/**
 * Splits a text at blanks, but for those in quotes or behind the escape character. The words keep their quotes. Backslashes
 * in single quotes escape nothing.
 */
export function scanWords(text: string, escape: string): string[] {
  const words: string[] = [];
  let word = "";
  let isWord = false;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quote === "" && /\s/.test(letter)) {
      if (isWord) words.push(word);
      [word, isWord] = ["", false];
      continue;
    }
    isWord = true;
    if (letter === escape && quote !== "'" && at + 1 < text.length) {
      word += letter + text[++at];
      continue;
    }
    if (quote === letter) quote = "";
    else if (quote === "" && (letter === '"' || letter === "'")) quote = letter;
    word += letter;
  }
  if (isWord) words.push(word);
  return words;
}

/** Takes quotes off a word, and escapes that stand before a quote, a blank or themselves. */
export function unquoteWord(word: string, escape: string): string {
  let plain = "";
  let quote = "";
  for (let at = 0; at < word.length; at++) {
    const letter = word[at];
    if (letter === escape && quote !== "'" && at + 1 < word.length) plain += word[++at];
    else if (letter === quote) quote = "";
    else if (quote === "" && (letter === '"' || letter === "'")) quote = letter;
    else plain += letter;
  }
  return plain;
}
