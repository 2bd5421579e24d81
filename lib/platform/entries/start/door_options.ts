/**
 * The options of `serve` and `gateway` on their doors: where they listen, who may call, and the log.
 *
 * @module
 */
import process from "node:process";
import type { LogLevel } from "../../../engine/ports/log.ts";
import { parseAddress } from "../../http/address.ts";
import { FIRST_DESCRIPTOR, parseDescriptor } from "../../http/passed_socket.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat } from "../server_log.ts";
import type { OptionReader } from "./option_reader.ts";
import type { CertificateFiles } from "./read_certificates.ts";
import { withoutAbsent } from "../../../oci/json.ts";

/** The doors of a server. */
export interface DoorOptions {
  listen: string[];
  tokenFile?: string;
  /** TLS on TCP. */
  tls?: CertificateFiles;
  /** Further names that clients may call this server by over TCP. */
  allowHosts?: string[];
  /** Origins whose pages may call over TCP, with the token. */
  allowOrigins?: string[];
  logLevel: LogLevel;
  logFormat: LogFormat;
}

/** The options, as they are read. */
export const DOOR_SHAPES = {
  listen: { type: "string", multiple: true },
  "token-file": { type: "string" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "tls-client-ca": { type: "string" },
  "allow-host": { type: "string", multiple: true },
  "allow-origin": { type: "string", multiple: true },
  "log-level": { type: "string" },
  "log-format": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads them. Throws `SyntaxError` for addresses, origins and files that cannot be, alone or together. */
export function readDoorOptions(
  read: OptionReader<typeof DOOR_SHAPES>,
  env: Readonly<Record<string, string | undefined>>,
): DoorOptions {
  const addresses = read.list("listen").flatMap((address) => address === "fd://" ? passedSockets(env) : [address]);
  for (const address of addresses) if (parseDescriptor(address) === undefined) parseAddress(address);
  const tls = readTLSFiles(read.path("tls-cert"), read.path("tls-key"), read.path("tls-client-ca"));
  if (tls !== undefined && !addresses.some((address) => !address.startsWith("unix:"))) {
    throw new SyntaxError('Read options: "--tls-cert" is for TCP: add --listen tcp://HOST:PORT');
  }
  const tokenFile = read.path("token-file");
  const allowHosts = read.list("allow-host");
  for (const name of allowHosts) checkHostName(name);
  const allowOrigins = read.list("allow-origin");
  for (const origin of allowOrigins) checkOrigin(origin);
  if (allowOrigins.length > 0 && tokenFile === undefined) {
    throw new SyntaxError(
      'Read options: "--allow-origin" needs "--token-file": without a token every page of that origin would be root here',
    );
  }
  return {
    listen: addresses,
    ...withoutAbsent({ tokenFile, tls }),
    ...allowHosts.length > 0 && { allowHosts },
    ...allowOrigins.length > 0 && { allowOrigins },
    logLevel: read.choice("log-level", "info", LOG_LEVELS, "log level"),
    logFormat: read.choice("log-format", "text", LOG_FORMATS, "log format"),
  };
}

/** Throws `SyntaxError` for a text that no client sends as a host's name: RFC 9110, 7.2, without the port. */
function checkHostName(text: string): void {
  if (/^[\w.-]+$/.test(text) || /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) return;
  throw new SyntaxError(`Read options: "${text}" is no name of a host, as in engine.example.com, without a port`);
}

/** Throws `SyntaxError` for a text that no browser sends as the origin of a page. */
function checkOrigin(text: string): void {
  if (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text) return;
  throw new SyntaxError(`Read options: "${text}" is no origin, as in https://app.example.com`);
}

/** The files for TLS. Throws `SyntaxError` where one is given without another that it needs. */
function readTLSFiles(cert?: string, key?: string, clientCA?: string): CertificateFiles | undefined {
  if (cert === undefined && key === undefined && clientCA === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? "--tls-cert" : "--tls-key";
    throw new SyntaxError(`Read options: "${missing}" is missing: TLS needs a certificate and its key`);
  }
  return { cert, key, ...clientCA !== undefined && { clientCA } };
}

/** The sockets that systemd has passed on, sd_listen_fds(3). Throws `SyntaxError` where there is none for this process. */
function passedSockets({ LISTEN_FDS, LISTEN_PID }: Readonly<Record<string, string | undefined>>): string[] {
  const count = /^[1-9]\d{0,2}$/.test(LISTEN_FDS ?? "") ? Number(LISTEN_FDS) : 0;
  if (count === 0) {
    throw new SyntaxError(
      'Read options: "--listen fd://": no socket was passed on; start the service by its .socket unit',
    );
  }
  if (LISTEN_PID && Number(LISTEN_PID) !== process.pid) {
    throw new SyntaxError(
      `Read options: "--listen fd://": the sockets are for process ${LISTEN_PID}, and this is ${process.pid}`,
    );
  }
  return Array.from({ length: count }, (_, index) => `fd://${FIRST_DESCRIPTOR + index}`);
}
