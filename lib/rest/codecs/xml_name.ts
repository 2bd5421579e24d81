/** The characters of a name as XML 1.0 (section 2.3) has them, those beyond U+1FFF left out. */
const START = "A-Z_a-z:\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF";
const BAD_START = new RegExp(`^[^${START}]`);
const BAD = new RegExp(`[^${START}\\-.0-9\\u00B7]`, "g");

const encodeUnit = (unit: string) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;

/**
 * Writes any text as the name of an element or attribute: what no name may hold is written as `_xHHHH_`, a UTF-16 code unit in hexadecimal
 * (SQL/XML, ISO/IEC 9075-14, as .NET's `XmlConvert.EncodeName` does). So is the first character of names that every JavaScript object has,
 * which parsers change or refuse.
 *
 * @throws {TypeError} for an empty text
 */
export function encodeName(text: string): string {
  if (text === "") throw new TypeError("Write XML: a key is empty");
  const escaped = text.replace(/_(?=x[\da-f]{4}_)/gi, encodeUnit);
  const first = text in Object.prototype || text === "prototype" ? /^./ : BAD_START;
  return escaped.replace(first, encodeUnit).replace(BAD, encodeUnit);
}

/** Reads a name that {@linkcode encodeName} wrote, or any other. */
export function decodeName(name: string): string {
  return name.replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
