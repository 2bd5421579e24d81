/** Names of which the first letters alone do not make the usual spelling. */
const known = new Map([["etag", "ETag"], ["www-authenticate", "WWW-Authenticate"], [
  "sec-websocket-accept",
  "Sec-WebSocket-Accept",
]]);

/** More names than this are no API's own: they are spelled anew each time, so that nobody's names fill the memory. */
const LIMIT = 1024;

/**
 * Spells a header's name as it is usually written: `Content-Type`, `ETag`. Case means nothing to HTTP/1.1 (RFC 9110
 * section 5.1), but some clients and their tests compare the bytes; `Headers` keeps lower case only.
 */
export function headerCase(name: string): string {
  const usual = known.get(name);
  if (usual !== undefined) return usual;
  const made = name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  if (known.size < LIMIT) known.set(name, made);
  return made;
}
