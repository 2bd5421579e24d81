import http from "node:http";
import type { Client } from "../rest/core_client.ts";
import { parseAddress } from "./address.ts";
import { sendRequest } from "./send_request.ts";

/** A client of one server, and its open connections. */
export interface ConnectedClient extends Client, Disposable {}

/**
 * A client for `link` that reaches a server at the address it listens on, which may be a Unix socket (`fetch` cannot): whatever
 * the host in the base is. Channels go over HTTP; a WebSocket goes to the base.
 *
 * @example
 * ```ts ignore
 * using client = connect("unix:///run/calculator.sock");
 * const calculator = link(definition, "http://localhost", client);
 * ```
 *
 * @param addr `unix:///path`, `tcp://host:port` or `host:port`
 * @throws {SyntaxError} if the address does not parse
 */
export function connect(addr: string): ConnectedClient {
  const address = parseAddress(addr);
  const to = address.kind === "unix" ? { socketPath: address.path } : { host: address.host, port: address.port };
  const agent = new http.Agent({ keepAlive: true });
  return {
    fetch(request) {
      const { pathname, search, host } = new URL(request.url);
      return sendRequest(request, (options, answer) => {
        const headers = { host, ...options.headers };
        return http.request({ ...options, ...to, headers, path: pathname + search, agent }, answer);
      });
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
