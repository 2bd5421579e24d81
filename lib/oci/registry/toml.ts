/**
 * The one place that names the TOML library.
 *
 * @module
 */
import { parse, TomlError, type TomlTable } from "npm:smol-toml@1.9.1";

/** Reads a TOML document (toml.io, version 1.0). Throws `SyntaxError` with line and column, in one line. */
export function parseTOML(text: string): TomlTable {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [why] = cause.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new SyntaxError(`line ${cause.line}, column ${cause.column}: ${why}`, { cause });
  }
}
