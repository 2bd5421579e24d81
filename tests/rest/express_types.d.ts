/** What the tests use of Express; its own types bring others' that clash with those of the runtime. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";

interface Application {
  all(path: string, serve: (request: IncomingMessage, response: ServerResponse) => void): Application;
  listen(port: number, host: string): Server;
}

export default function express(): Application;
