/**
 * Foreign texts (of registries, images, archives, programs, callers) made fit for terminals and logs. Nobody should print a
 * character that moves a cursor, rings a bell or turns the order of letters round.
 *
 * @module
 */

const LIMIT = 1000;
/** Control characters (C0, DEL, C1), the other ends of lines, and what changes the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
/** The same, but for ends of lines and tabs. */
const MOVING = /(?:(?![\n\t])[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])+/gu;

/** A foreign text on one line, bounded. */
export function escapeUnprintable(text: string): string {
  return text.slice(0, LIMIT).replace(UNPRINTABLE, " ").trim();
}

/** A message that may quote foreign texts, with its lines: for clients, who print it is. */
export function printableLines(text: string): string {
  return text.replace(MOVING, " ");
}

/** The same for a log: a line that a foreign text begins stands back, so that it is not taken for one of the log's own. */
export function logLines(text: string): string {
  return printableLines(text).trimEnd().replaceAll("\n", "\n    ");
}

/** Whether a text has nothing in it that ends a line or steers a terminal. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0;
}
