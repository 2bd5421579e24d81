/**
 * `serve` as a Node program: `node node.mjs --listen …`, with the options of `deno task serve`. It installs nothing.
 *
 * @module
 */
import process from "node:process";
import { serveCommand } from "./serve_command.ts";

process.exit(await serveCommand(process.argv.slice(2)));
