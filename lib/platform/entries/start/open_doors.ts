/**
 * The doors of `serve` and `gateway`: the listeners, with the token and the certificates that they ask for.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import type { Log } from "../../../engine/ports/log.ts";
import { type Authenticator, bearer, type Handler, withCORS } from "../../../rest/mod.ts";
import { isLoopback, parseAddress } from "../../http/address.ts";
import { listen, type Listener } from "../../http/listener.ts";
import type { TLSCertificates } from "../../http/tls_sockets.ts";
import type { DoorOptions } from "./door_options.ts";
import { readCertificates } from "./read_certificates.ts";
import { startStep } from "./start_failure.ts";

/** Names in the `Host` of container clients: Podman's (`d`), and Docker's before version 24. */
const CLIENT_HOSTS: readonly string[] = ["d", "docker"];

/** Headers of answers that pages of other origins may read, besides those of every page: a client chooses its operations by them. */
const EXPOSED = ["api-version", "gantry-version", "libpod-api-version", "server", "x-docker-container-path-stat"];

/** The keys of the doors, read from their files. */
export interface DoorKeys {
  /** The authenticator of callers; null lets everybody call. */
  readonly auth: Authenticator<unknown> | null;
  readonly tls?: TLSCertificates;
}

/** Reads the token and the certificates. Throws one line that names the file, or the option for another one. */
export async function readDoorKeys({ tokenFile, tls, allowOrigins }: DoorOptions, log: Log): Promise<DoorKeys> {
  const token = tokenFile === undefined ? undefined : await readToken(tokenFile, "--token-file", log);
  const auth = token === undefined ? null : bearer(token);
  return {
    auth: auth !== null && allowOrigins !== undefined
      ? withCORS({ origins: allowOrigins, expose: EXPOSED, maxAge: 600 }, auth)
      : auth,
    ...tls !== undefined && { tls: await readCertificates(tls, log) },
  };
}

/**
 * Opens every door to one handler, or none: where one does not open, the others are closed again and its error is thrown. With
 * `keptAnswers` what the handler marks as current is sent again, as it was, to a request with the same head.
 */
export async function openDoors(
  { listen: addresses, allowHosts, allowOrigins }: DoorOptions,
  { auth, tls }: DoorKeys,
  handler: Handler,
  log: Log,
  { keptAnswers }: { keptAnswers?: boolean } = {},
): Promise<Listener[]> {
  const listeners: Listener[] = [];
  try {
    for (const address of addresses) {
      const listener = await startStep(
        { text: `Listen on "${address}"`, option: "--listen" },
        () =>
          listen(address, handler, {
            authenticated: auth !== null,
            tls,
            hosts: allowHosts,
            origins: allowOrigins,
            clientHosts: CLIENT_HOSTS,
            hijacks: takesOver,
            // Every caller who is let in sees the same, and a token is in the head.
            keptAnswers,
            onError: (error) => log("error", `Serve: ${error instanceof Error ? error.stack : error}`),
          }),
      );
      if (auth === null && tls?.clientCA === undefined) warnOfOpenDoor(listener.address, log);
      listeners.push(listener);
    }
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
  return listeners;
}

/** Attach and exec start take their connection over, with or without the header that asks for it. */
export function takesOver(method: string, path: string): boolean {
  return method === "POST" && /\/(?:containers\/[^/]+\/attach|exec\/[^/]+\/start|grpc|session)$/.test(path);
}

/** Reads a token from the file that an option names. */
export async function readToken(file: string, option: string, log: Log): Promise<string> {
  const step = { text: `Read token file "${file}"`, option };
  const { mode } = await startStep(step, () => stat(file));
  if ((mode & 0o077) !== 0) log("warn", `${file}: other users of this machine may read the token; chmod 600`);
  const token = (await startStep(step, () => readFile(file, "utf8"))).trim();
  if (!/^[\x21-\x7e]{8,}$/.test(token)) {
    throw new Error(`Read token file "${file}": a token is one line of 8 or more printable characters`);
  }
  return token;
}

function warnOfOpenDoor(text: string, log: Log): void {
  const address = parseAddress(text);
  if (address.kind === "tcp" && isLoopback(address.host)) {
    const closed = "use a Unix socket, --token-file or --tls-client-ca";
    log("warn", `${text}: every user of this machine can be root through it; ${closed}`);
  }
}
