/**
 * Writes a value of a document into a comment of the module. JSON leaves two line ends as they are (ECMA-262, section 12.3), and behind a line
 * end the document's text would be code.
 */
export function quoteInComment(value: unknown): string {
  return String(JSON.stringify(value)).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
