/**
 * The ways by which messages get to a syslog.
 *
 * @module
 */
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { access, realpath } from "node:fs/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTLS } from "node:tls";
import { EngineError } from "../../../../engine/errors.ts";
import { concatBytes } from "../../../../oci/bytes/bytes.ts";
import type { SyslogFiles, SyslogTarget } from "../../../../engine/text/logs/syslog.ts";
import { readTextBounded } from "../../helpers/bounded_read.ts";
import type { Datagrams } from "./datagrams.ts";

/** A way to a receiver, which is opened again after a failure. */
export interface SyslogSender {
  /**
   * Hands messages over in their order, and returns how many were taken: fewer than all where the receiver has no room at present.
   * Waits as long as a receiver that reads nothing makes it wait, at most until the signal. Throws where there is no receiver.
   */
  send(messages: readonly Uint8Array[], signal: AbortSignal): Promise<number>;
  close(): void;
}

/** The places of a host's own syslog. */
const LOCAL = ["/dev/log", "/var/run/syslog", "/var/run/log"];
/** Milliseconds that a receiver may take to answer. */
const PATIENCE = 10_000;
/** Bytes of a file with keys or certificates. */
const LONGEST_FILE = 1 << 20;

/** Returns a way to a receiver, which opens with the first message. */
export function openSender(target: SyslogTarget, datagrams: Datagrams): SyslogSender {
  const { transport, path, host, port, tls } = target;
  switch (transport) {
    case "udp":
      return udpSender(host, port);
    case "unixgram":
      return { send: (messages) => datagrams.send(path, messages), close: () => {} };
    case "local":
      return localSender(datagrams);
    case "unix":
      return new StreamSender(() => connectSocket({ path }));
    case "tcp":
      return new StreamSender(() => connectSocket({ host, port }));
    case "tcp+tls":
      return new StreamSender(async () =>
        connectTLS({ host, port, servername: serverName(host), ...await readFiles(tls) })
      );
  }
}

/** Datagrams of UDP are sent whether or not anybody receives them. */
function udpSender(host: string, port: number): SyslogSender {
  let open: { socket: ReturnType<typeof createSocket>; address: string } | undefined;
  return {
    async send(messages) {
      if (open === undefined) {
        const { address, family } = await lookup(host);
        const socket = createSocket(family === 6 ? "udp6" : "udp4");
        socket.on("error", () => {});
        socket.unref();
        open = { socket, address };
      }
      const { socket, address } = open;
      for (const message of messages) {
        await new Promise<void>((resolve) => socket.send(message, port, address, () => resolve()));
      }
      return messages.length;
    },
    close: () => open?.socket.close(),
  };
}

/** The host's own syslog: datagrams to the first of its places that there is, or else a stream. */
function localSender(datagrams: Datagrams): SyslogSender {
  let stream: StreamSender | undefined;
  return {
    async send(messages, signal) {
      if (stream) return await stream.send(messages, signal);
      let failure: unknown = new EngineError("internal", `no syslog at ${LOCAL.join(", ")}`);
      for (const path of LOCAL) {
        if (!await access(path).then(() => true, () => false)) continue;
        try {
          return await datagrams.send(path, messages);
        } catch (error) {
          failure = error;
        }
        const candidate = new StreamSender(() => connectSocket({ path }));
        try {
          const count = await candidate.send(messages, signal);
          stream = candidate;
          return count;
        } catch {
          candidate.close();
        }
      }
      throw failure;
    },
    close: () => stream?.close(),
  };
}

/** A connection that is made with the first message, and again after it broke. */
class StreamSender implements SyslogSender {
  readonly #connect: () => Socket | Promise<Socket>;
  #socket: Socket | undefined;

  constructor(connect: () => Socket | Promise<Socket>) {
    this.#connect = connect;
  }

  async send(messages: readonly Uint8Array[], signal: AbortSignal): Promise<number> {
    const socket = this.#socket ??= await this.#open(signal);
    await settleStep(socket, signal, (done) => socket.write(concatBytes(messages), done));
    return messages.length;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(signal: AbortSignal): Promise<Socket> {
    const socket = await this.#connect();
    // A lost receiver is told of by the next write.
    socket.on("error", () => {});
    socket.once("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    socket.resume();
    socket.unref();
    const isSecure = "encrypted" in socket;
    const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
    await settleStep(socket, late, (done) => socket.once(isSecure ? "secureConnect" : "connect", () => done()));
    return socket;
  }
}

/** Waits for a step of a connection, which is destroyed where that fails or takes until the signal. */
async function settleStep(
  socket: Socket,
  signal: AbortSignal,
  begin: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onError = (error: Error) => reject(error);
  const onClose = () => reject(new EngineError("internal", "the receiver closed the connection"));
  const onAbort = () => reject(new EngineError("internal", "the receiver does not answer"));
  socket.on("error", onError);
  socket.on("close", onClose);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    begin((error) => error ? reject(error) : resolve());
    await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off("error", onError);
    socket.off("close", onClose);
    signal.removeEventListener("abort", onAbort);
  }
}

/** An address has no name to be checked by the receiver's choice of certificates. */
function serverName(host: string): string | undefined {
  return /^[\d.]+$|:/.test(host) ? undefined : host;
}

/** Reads a file with keys or certificates. Throws for one that is not there: others in its place are not those that were named. */
async function readFile(path: string): Promise<string> {
  const text = await readTextBounded(await realpath(path), LONGEST_FILE + 1);
  if (text === undefined) throw new EngineError("invalid", `open ${path}: not a regular file`);
  if (text.length > LONGEST_FILE) throw new EngineError("invalid", `open ${path}: more than ${LONGEST_FILE} bytes`);
  return text;
}

async function readFiles({ ca, cert, key, skipVerify }: SyslogFiles) {
  const [caText, certText, keyText] = await Promise.all([ca, cert, key].map(async (path) => {
    return path ? await readFile(path) : undefined;
  }));
  return { ca: caText, cert: certText, key: keyText, rejectUnauthorized: !skipVerify };
}
