/** Tests a path that has no slash at either end. */
export type PathPattern = (path: string) => boolean;

type Token = { is: "star" } | { is: "any" } | { is: "letter"; letter: string } | {
  is: "class";
  negated: boolean;
  ranges: readonly (readonly [string, string])[];
};

/**
 * Compiles a pattern as `.dockerignore` and `COPY` have them: `*` and `?` stop at slashes, `[a-z]` and `[^a-z]` are classes, a
 * backslash takes a letter as it is, and `**` stands for any number of folders. The time of a test grows with the product of
 * both lengths and no faster.
 *
 * @throws {SyntaxError} if a class has no end
 */
export function compilePathPattern(pattern: string): PathPattern {
  const parts = pattern.split("/").map((part) => part === "**" ? undefined : readTokens(part));
  return (path) => fitsParts(parts, path === "" ? [] : path.split("/"));
}

/** Whether a text has letters that mean others. */
export function hasWildcard(text: string): boolean {
  return /[*?[\\]/.test(text);
}

/** Goes back to the last `**` only: an earlier one can never do what that one cannot. */
function fitsParts(parts: readonly (readonly Token[] | undefined)[], names: readonly string[]): boolean {
  return matchWithRetry(parts.length, names.length, {
    isStar: (at) => parts[at] === undefined,
    fits: (at, name) => fitsName(parts[at] ?? [], names[name]),
  });
}

function fitsName(tokens: readonly Token[], name: string): boolean {
  const letters = [...name];
  return matchWithRetry(tokens.length, letters.length, {
    isStar: (at) => tokens[at].is === "star",
    fits: (at, letter) => fitsToken(tokens[at], letters[letter]),
  });
}

/** The one way to match a list with stars in it, at both levels: folders and letters. */
function matchWithRetry(
  patternLength: number,
  length: number,
  { isStar, fits }: { isStar(at: number): boolean; fits(at: number, item: number): boolean },
): boolean {
  let [at, item, star, resume] = [0, 0, -1, 0];
  while (item < length) {
    if (at < patternLength && isStar(at)) [star, resume] = [at++, item];
    else if (at < patternLength && fits(at, item)) [at, item] = [at + 1, item + 1];
    else if (star >= 0) [at, item] = [star + 1, ++resume];
    else return false;
  }
  while (at < patternLength && isStar(at)) at++;
  return at === patternLength;
}

function fitsToken(token: Token, letter: string): boolean {
  if (token.is === "letter") return token.letter === letter;
  if (token.is !== "class") return true;
  return token.ranges.some(([low, high]) => low <= letter && letter <= high) !== token.negated;
}

function readTokens(part: string): Token[] {
  const letters = [...part];
  const tokens: Token[] = [];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at];
    if (letter === "*") {
      if (tokens.at(-1)?.is !== "star") tokens.push({ is: "star" });
    } else if (letter === "?") tokens.push({ is: "any" });
    else if (letter === "\\" && at + 1 < letters.length) tokens.push({ is: "letter", letter: letters[++at] });
    else if (letter === "[") {
      const end = letters.indexOf("]", at + 2);
      if (end < 0) throw new SyntaxError(`Parse pattern "${part}": a "[" has no "]"`);
      tokens.push(readClass(letters.slice(at + 1, end)));
      at = end;
    } else tokens.push({ is: "letter", letter });
  }
  return tokens;
}

function readClass(letters: readonly string[]): Token {
  const negated = letters[0] === "^" || letters[0] === "!";
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < letters.length; at++) {
    const isRange = letters[at + 1] === "-" && at + 2 < letters.length;
    ranges.push([letters[at], letters[isRange ? at + 2 : at]]);
    if (isRange) at += 2;
  }
  return { is: "class", negated, ranges };
}
