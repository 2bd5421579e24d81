/**
 * Requests that are not what HTTP/1.1 says (RFC 9112), or that two readers in a row could take for different things, each with
 * what may be answered. Behind most of them stands a second request, which must not be served.
 */
const HEAD = "Host: localhost\r\n";
const NEXT = `GET /status?code=200&body=smuggled HTTP/1.1\r\n${HEAD}\r\n`;

/** One of them, byte by byte. */
export interface HostileHead {
  readonly text: string;
  readonly status: readonly number[];
}

function post(fields: string, body = "0\r\n\r\n"): string {
  return `POST /echo HTTP/1.1\r\n${HEAD}${fields}\r\n\r\n${body}${NEXT}`;
}

function get(fields: string): string {
  return `GET /echo HTTP/1.1\r\n${HEAD}${fields}\r\n\r\n`;
}

function chunked(body: string): string {
  return post("Transfer-Encoding: chunked", body);
}

const refused: Record<string, string> = {
  "a length and chunks": post("Content-Length: 5\r\nTransfer-Encoding: chunked"),
  "chunks and a length": post("Transfer-Encoding: chunked\r\nContent-Length: 5"),
  "two lengths": post("Content-Length: 5\r\nContent-Length: 0", ""),
  "the same length twice": post("Content-Length: 0\r\nContent-Length: 0", ""),
  "a list of lengths": post("Content-Length: 0, 0", ""),
  "a length with a sign": post("Content-Length: +0", ""),
  "a negative length": post("Content-Length: -1", ""),
  "a hexadecimal length": post("Content-Length: 0x0", ""),
  "a length with an underscore": post("Content-Length: 1_0", ""),
  "an empty length": post("Content-Length: ", ""),
  "a length past 2^64": post("Content-Length: 99999999999999999999999", ""),
  "a length with a space before the colon": post("Content-Length : 5", ""),
  "another coding": post("Transfer-Encoding: xchunked"),
  "identity": post("Transfer-Encoding: identity", ""),
  "chunked, then identity": post("Transfer-Encoding: chunked, identity"),
  "chunked twice": post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
  "two codings": post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
  "a coding in quotes": post('Transfer-Encoding: "chunked"'),
  "a coding behind a vertical tab": post("Transfer-Encoding: \x0bchunked"),
  "a coding with a space before the colon": post("Transfer-Encoding : chunked"),
  "chunks in HTTP/1.0": post("Transfer-Encoding: chunked").replace("HTTP/1.1", "HTTP/1.0"),
  "bare line feeds": `GET /echo HTTP/1.1\nHost: localhost\n\n${NEXT}`,
  "one bare line feed": `GET /echo HTTP/1.1\r\nHost: localhost\nX-A: 1\r\n\r\n${NEXT}`,
  "a bare carriage return": get("X-A: 1\rX-B: 2"),
  "a folded line": get("X-A: 1\r\n  folded"),
  "a folded length": post("Content-Length:\r\n 0", ""),
  "a first field that is folded": `GET /echo HTTP/1.1\r\n X-A: 1\r\n${HEAD}\r\n`,
  "no colon": get("nonsense"),
  "no name": get(": x"),
  "a name with a space": get("a b: x"),
  "a value with NUL": get("X-A: a\0b"),
  "a target with NUL": `GET /echo\0 HTTP/1.1\r\n${HEAD}\r\n`,
  "a target with a space": `GET /ec ho HTTP/1.1\r\n${HEAD}\r\n`,
  "a space behind the version": `GET /echo HTTP/1.1 \r\n${HEAD}\r\n`,
  "HTTP/1.2": `GET /echo HTTP/1.2\r\n${HEAD}\r\n`,
  "http/1.1": `GET /echo http/1.1\r\n${HEAD}\r\n`,
  "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "a method with an at sign": `G@T /echo HTTP/1.1\r\n${HEAD}\r\n`,
  "no such method": `FROB /echo HTTP/1.1\r\n${HEAD}\r\n`,
  "a method in lower case": `get /echo HTTP/1.1\r\n${HEAD}\r\n`,
  "two codings that end in chunked": post("Transfer-Encoding: identity, chunked", "").replace(NEXT, "0\r\n\r\n"),
  "two hosts": get("Host: other"),
  "the same host twice": get("Host: localhost"),
  "a chunk without a size": chunked("\r\nhello\r\n0\r\n\r\n"),
  "a chunk's size that is none": chunked("xyz\r\nhello\r\n0\r\n\r\n"),
  "a negative chunk": chunked("-1\r\nhello\r\n0\r\n\r\n"),
  "a chunk's size with 0x": chunked("0x5\r\nhello\r\n0\r\n\r\n"),
  "a chunk's size with a space": chunked("5 \r\nhello\r\n0\r\n\r\n"),
  "a chunk past 2^64": chunked("ffffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
  "a chunk's size that wraps": chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"),
  "a chunk that is longer than it says": chunked("3\r\nhello\r\n0\r\n\r\n"),
  "chunks that end in line feeds": chunked("5\nhello\n0\n\n"),
  "a chunk's extension that ends in a line feed": chunked("5;a\nhello\r\n0\r\n\r\n"),
  "a length among the trailers": chunked("5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n"),
};

/** By name. */
export const hostileHeads: Record<string, HostileHead> = {
  ...Object.fromEntries(Object.entries(refused).map(([name, text]) => [name, { text, status: [400] }])),
  "HTTP/2.0 in a request line": { text: `GET /echo HTTP/2.0\r\n${HEAD}\r\n`, status: [505] },
  "HTTP/0.9": { text: "GET /echo\r\n\r\n", status: [505] },
  "a field of 140 KiB": { text: get(`X-A: ${"a".repeat(140 * 1024)}`), status: [431] },
  "a target of 200 KiB": { text: `GET /echo?${"a".repeat(200 * 1024)} HTTP/1.1\r\n${HEAD}\r\n`, status: [431] },
  "trailers of 1 MB": { text: chunked(`0\r\n${"X-A: 1\r\n".repeat(125_000)}\r\n`), status: [400, 431] },
};
