import type { Kind } from "../plan/kind.ts";
import { describeKind, readScalar, writeScalar } from "../codecs/scalar_text.ts";

/** Makes a value of the text in a header or cookie; throws a SyntaxError for what is not of its kind. */
export function readHeaderText(text: string, kind: Kind): unknown {
  const value = readScalar(text, kind);
  if (value === undefined) throw new SyntaxError(`expected ${describeKind(kind)}`);
  return value;
}

/**
 * Writes a value as the text of a header (RFC 9110, section 5.5): visible ASCII, with spaces within.
 *
 * @throws {TypeError} for a value that would not arrive as it is
 */
export function writeHeaderText(value: unknown, rule: string): string {
  const text = writeScalar(value);
  if (/^([\x21-\x7E]([\x20-\x7E\t]*[\x21-\x7E])?)?$/.test(text)) return text;
  throw new TypeError(`Write the header "${rule}": a header holds visible ASCII, with spaces within`);
}
