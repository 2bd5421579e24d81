/**
 * The command `gantry` of the engine's package: `npx @gantry/gantry serve` on Node 24, `deno run -A jsr:@gantry/gantry/cli serve` on Deno.
 *
 * @module
 */
import process from "node:process";
import { gantryCommand } from "./gantry_command.ts";
import { exitWith } from "./start/exit_with.ts";

exitWith(gantryCommand(process.argv.slice(2)));
