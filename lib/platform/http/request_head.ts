/** The first lines of a request. */
export interface RequestHead {
  readonly method: string;
  /** The target as it stands in the request line. */
  readonly target: string;
  readonly minor: 0 | 1;
  /** Names and values in turn, as `rawHeaders` of node:http has them. */
  readonly rawHeaders: string[];
}

/**
 * Reads a request's head (RFC 9112, section 2 to 5), strictly: no folded lines, no bare LF, no space before a colon.
 *
 * @param text The head decoded byte by byte (latin1), its empty line included
 * @returns undefined if it is malformed
 */
export function parseHead(text: string): RequestHead | undefined {
  const lines = text.split("\r\n");
  if (lines.pop() !== "" || lines.pop() !== "") return undefined;
  const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP\/1\.([01])$/.exec(lines[0]);
  if (line === null) return undefined;
  const rawHeaders: string[] = [];
  for (const field of lines.slice(1)) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)$/.exec(field);
    if (match === null) return undefined;
    rawHeaders.push(match[1], match[2].replace(/^[ \t]+/, "").trimEnd());
  }
  return { method: line[1], target: line[2], minor: line[3] === "0" ? 0 : 1, rawHeaders };
}
