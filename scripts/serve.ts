/**
 * `deno task serve`: sets up what is missing on this host, then serves. See `--help`.
 *
 * @module
 */
import { serveCommand } from "../lib/platform/entries/serve_command.ts";
import { setup } from "./setup.ts";

Deno.exit(await serveCommand(Deno.args, { setup }));
