/**
 * `deno task serve`: sets up what is missing on this host, then serves. See `--help`.
 *
 * @module
 */
import { USAGE } from "../lib/platform/entries/start/usage.ts";
import { setup } from "./setup.ts";

// Help is there at once, also without a network.
if (Deno.args.some((arg) => arg === "--help" || arg === "-h")) {
  console.log(USAGE.trimEnd());
  Deno.exit(0);
}
// Deno fetches the packages of modules whose names it can read before it runs anything.
const server = new URL("../lib/platform/entries/serve_command.ts", import.meta.url).href;
const { serveCommand }: typeof import("../lib/platform/entries/serve_command.ts") = await import(server);
Deno.exit(await serveCommand(Deno.args, { setup }));
