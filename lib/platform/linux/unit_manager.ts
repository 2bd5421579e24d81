import { access } from "node:fs/promises";
import { EngineError } from "../../engine/errors.ts";
import type { UnitManager } from "../../engine/ports/unit_port.ts";
import { splitPair } from "../../engine/text/pairs.ts";
import { CommandError, runCommand } from "./helpers/command.ts";

/** A path that is there where systemd runs the machine, sd_booted(3). */
const BOOTED = "/run/systemd/system";
/** Units have limits of their own on how long they take. */
const TIMEOUT = Infinity;

/** How {@linkcode openUnitManager} finds systemd. */
export interface UnitManagerOptions {
  /** In place of `/run/systemd/system`. */
  booted?: string;
  /** In place of `systemctl`. */
  program?: string;
}

/** Returns systemd as the manager of units; `undefined` where it does not run this machine. */
export async function openUnitManager(
  { booted = BOOTED, program = "systemctl" }: UnitManagerOptions = {},
): Promise<UnitManager | undefined> {
  const isBooted = await access(booted).then(() => true, () => false);
  if (!isBooted) return undefined;
  const run = async (...args: string[]): Promise<string> => {
    try {
      return (await runCommand(program, args, { timeout: TIMEOUT })).stdout;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const text = error.stderr.trim() || error.message;
      throw new EngineError("state", `systemctl ${args.join(" ")}: ${text}`, { cause: error });
    }
  };
  return {
    reload: async () => void await run("daemon-reload"),
    start: async (unit) => void await run("start", "--", unit),
    stop: async (unit) => void await run("stop", "--", unit),
    restart: async (unit) => void await run("restart", "--", unit),
    async states(units) {
      if (units.length === 0) return new Map();
      const text = await run("show", "--property=Id,LoadState,ActiveState,SubState", "--", ...units);
      return new Map(text.trim().split(/\n\n+/).map(readState));
    },
  };
}

function readState(block: string): [unit: string, state: string] {
  const facts = new Map(block.split("\n").map((line) => splitPair(line)));
  const isLoaded = facts.get("LoadState") === "loaded";
  return [facts.get("Id") ?? "", isLoaded ? `${facts.get("ActiveState")}/${facts.get("SubState")}` : "Not loaded"];
}
