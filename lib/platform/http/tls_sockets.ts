/**
 * TLS on the connections of a listener.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";

/**
 * The certificates of a listener on TCP, as texts in PEM (RFC 7468).
 *
 * @example
 * ```ts
 * import type { TLSCertificates } from "./serve.ts";
 * const withFiles = (read: (path: string) => string): TLSCertificates => ({
 *   cert: read("server.pem"),
 *   key: read("server.key"),
 *   clientCA: read("ca.pem"),
 * });
 * console.assert(withFiles((path) => path).cert === "server.pem");
 * ```
 */
export interface TLSCertificates {
  /** The server's certificate, with those between it and its authority behind it. */
  readonly cert: string;
  /** The private key of that certificate, not encrypted. */
  readonly key: string;
  /** Authorities of clients. With them only a client gets in that has a certificate of theirs; without, anybody. */
  readonly clientCA?: string;
}

/** Certificates that were looked at: the names of the server in them, and when they end. */
export interface CheckedCertificates extends TLSCertificates {
  /** The names and addresses that the server's certificate is for (RFC 5280, section 4.2.1.6). */
  readonly names: readonly string[];
  readonly expires: Date;
}

/**
 * Looks at certificates before a listener has them.
 *
 * @throws {Error} if one does not parse, or the key belongs to another certificate; the message begins with `certificate`, `key` or `client CA`
 */
export function checkCertificates(given: TLSCertificates): CheckedCertificates {
  const cert = readPEM("certificate", () => new X509Certificate(given.cert));
  const key = readPEM("key", () => createPrivateKey(given.key));
  if (!cert.checkPrivateKey(key)) throw new Error("key: it belongs to another certificate");
  if (given.clientCA !== undefined) {
    const parts = given.clientCA.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (parts.length === 0) throw new Error("client CA: it has no certificate in PEM");
    for (const part of parts) readPEM("client CA", () => new X509Certificate(part));
  }
  const names = (cert.subjectAltName ?? "").split(", ").map((name) => name.replace(/^(?:DNS|IP Address):/, ""));
  return { ...given, names: names.filter((name) => name !== ""), expires: new Date(cert.validTo) };
}

function readPEM<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: it does not parse as PEM`, { cause: error });
  }
}

/**
 * Returns a function that talks TLS (1.2 or later) on sockets that were accepted, and hands on those whose handshake has succeeded. A
 * handshake that fails, or takes longer than `patience` milliseconds, ends its connection: there is nobody to tell.
 */
export function secureSockets(
  { cert, key, clientCA }: TLSCertificates,
  patience: number,
): (socket: Socket, secured: (socket: Socket) => void) => void {
  const waiting = new Map<string, (socket: Socket) => void>();
  const server = createServer({
    cert,
    key,
    ...clientCA !== undefined && { ca: clientCA, requestCert: true, rejectUnauthorized: true },
    minVersion: "TLSv1.2",
    handshakeTimeout: patience,
    // A client that has said all may go on listening, as on any other connection that it takes over.
    allowHalfOpen: true,
    ALPNProtocols: ["http/1.1"],
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    const secured = waiting.get(peerOf(socket));
    if (secured === undefined) return void socket.destroy();
    waiting.delete(peerOf(socket));
    secured(socket);
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return (socket, secured) => {
    const peer = peerOf(socket);
    waiting.set(peer, secured);
    socket.on("close", () => waiting.get(peer) === secured && waiting.delete(peer));
    socket.on("error", () => {});
    server.emit("connection", socket);
  };
}

/** The other end of a connection: no two of a listener have the same at a time. */
function peerOf({ localPort, remoteAddress, remotePort }: Socket): string {
  return `${localPort} ${remoteAddress} ${remotePort}`;
}
