/**
 * Whether a text fits a shell pattern: `*` stands for any letters and `?` for one, neither for a slash. Foreign patterns cost no
 * more than their length times the text's, which a regular expression made of them would not promise.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  const patterns = pattern.split("/");
  const parts = text.split("/");
  return patterns.length === parts.length && patterns.every((part, i) => fitsPart(part, parts[i]));
}

/** Goes back to the last `*` only: an earlier one can never do what that one cannot. */
function fitsPart(pattern: string, text: string): boolean {
  let [at, next, star, resume] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next++;
      resume = at;
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
