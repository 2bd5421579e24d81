/**
 * A server of `node:http` that gives every request the same two letters: the floor of any that is built on it. Its argument is the
 * path of its socket.
 *
 * @module
 */
import { createServer } from "node:http";

const server = createServer((_, out) => out.end("OK"));
// As long as the bench keeps connections that it does not use.
server.keepAliveTimeout = 120_000;
server.listen(Deno.args[0]);
