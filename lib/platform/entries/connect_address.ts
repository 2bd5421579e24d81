import http from "node:http";
import https from "node:https";
import type { Connection } from "../../client/connections/connection.ts";
import { messageOf } from "../../oci/message_of.ts";
import { parseAddress } from "../http/address.ts";
import { hijackRequest } from "../http/client/hijack.ts";
import { sendRequest } from "../http/client/send_request.ts";

/** How a server is reached. */
export interface AddressOptions {
  /** The bearer token that the server asks for. */
  readonly token?: string;
  /** For https: certificates of authorities, and of the client with its key, as PEM. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/**
 * A connection to a server by its address, which gives connections away for attach and exec.
 *
 * @param address `unix:///path`, `tcp://host:port`, `http://host:port` or `https://host`, the last two with a path or without
 * @throws {SyntaxError} if the address does not parse
 */
export function connectAddress(address: string, { token, tls = {} }: AddressOptions = {}): Connection {
  const { isSecure, place, prefix, host } = placeOf(address);
  const module = isSecure ? https : http;
  const agent = new module.Agent({ keepAlive: true });
  const taken = new Set<AbortController>();
  const start = (request: Request, options: http.RequestOptions, answer?: (incoming: http.IncomingMessage) => void) => {
    const { pathname, search } = new URL(request.url);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { host, ...options.headers as http.OutgoingHttpHeaders, ...authorization };
    return module.request(
      { ...options, ...place, ...isSecure && tls, path: prefix + pathname + search, headers },
      answer,
    );
  };
  return {
    fetch: (request) => sendRequest(request, (options, answer) => start(request, { ...options, agent }, answer)),
    async hijack(request) {
      const end = new AbortController();
      taken.add(end);
      const forget = () => taken.delete(end);
      request.signal.addEventListener("abort", forget, { once: true });
      const signal = AbortSignal.any([request.signal, end.signal]);
      // An agent would keep the connection for others.
      return await hijackRequest(
        new Request(request, { signal }),
        (options) => start(request, { ...options, agent: false }),
      );
    },
    close() {
      agent.destroy();
      for (const end of taken) end.abort(new DOMException("The client was closed", "AbortError"));
      return Promise.resolve();
    },
  };
}

/** Throws `SyntaxError` for an address that {@linkcode connectAddress} would refuse. */
export function checkEngineAddress(address: string): void {
  placeOf(address);
}

/** The place where requests go, and what they say of it. */
interface Place {
  readonly isSecure: boolean;
  readonly place: { socketPath: string } | { host: string; port: number };
  readonly prefix: string;
  readonly host: string;
}

function placeOf(address: string): Place {
  if (!/^https?:/.test(address)) {
    const parsed = parseEngineAddress(address);
    if (parsed.kind === "unix") {
      return { isSecure: false, place: { socketPath: parsed.path }, prefix: "", host: "localhost" };
    }
    const { host, port } = parsed;
    return { isSecure: false, place: { host, port }, prefix: "", host: `${bracketHost(host)}:${port}` };
  }
  if (!URL.canParse(address)) throw new SyntaxError(`Parse address "${address}": expected a URL`);
  const { protocol, hostname, port, pathname, host } = new URL(address);
  const isSecure = protocol === "https:";
  const to = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (isSecure ? 443 : 80)) };
  return { isSecure, place: to, prefix: pathname.replace(/\/+$/, ""), host };
}

/** Listeners have fewer kinds of addresses: the error names those of engines, too. */
function parseEngineAddress(address: string): ReturnType<typeof parseAddress> {
  try {
    return parseAddress(address);
  } catch (cause) {
    const told = messageOf(cause).replace(
      /: expected .*$/,
      ": expected unix:///PATH, tcp://HOST:PORT, http://… or https://…",
    );
    throw new SyntaxError(told, { cause });
  }
}

function bracketHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
