/** The address of a listener. */
export type Address =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

/**
 * Reads `unix:///path`, `tcp://host:port`, `tcp://[::1]:port` or `host:port`. Port 0 asks for a free one.
 *
 * @throws {SyntaxError} if it is none of these
 */
export function parseAddress(text: string): Address {
  const path = /^unix:(?:\/\/(?=\/))?(\/(?!\/).*)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "unix", path };
  const match = /^(?:tcp:\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]*)):([0-9]{1,5})\/?$/.exec(text);
  if (match === null) throw new SyntaxError(`Parse address "${text}": expected unix:///PATH or tcp://HOST:PORT`);
  const port = Number(match[3]);
  if (port > 65535) throw new SyntaxError(`Parse address "${text}": a port is at most 65535`);
  return { kind: "tcp", host: match[1] ?? match[2] ?? "", port };
}

/** Writes an address as {@linkcode parseAddress} reads it. */
export function formatAddress(address: Address): string {
  if (address.kind === "unix") return `unix://${address.path}`;
  return `tcp://${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/** Whether a host name or IP literal (without brackets) can only be this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:/, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.[0-9]{1,3}){3}$/.test(name);
}
