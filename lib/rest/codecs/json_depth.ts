/** How deep JSON may be nested. */
const MAX_DEPTH = 512;

/**
 * Returns JSON text as it is, unless it is nested deeper than what follows could take: schemas and revivers go down by recursion.
 *
 * @throws {SyntaxError}
 */
export function boundDepth(text: string): string {
  let depth = 0;
  let inString = false;
  // So short a text cannot be so deep.
  for (let i = text.length > MAX_DEPTH ? 0 : text.length; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) inString = !inString;
    else if (inString) i += code === 92 ? 1 : 0;
    // With this bit both kinds of brackets are one.
    else if ((code | 32) === 125) depth--;
    else if ((code | 32) === 123 && ++depth > MAX_DEPTH) throw new SyntaxError(`nested more than ${MAX_DEPTH} deep`);
  }
  return text;
}
