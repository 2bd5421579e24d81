/**
 * `gantry reset`: takes a root back to what it was before the first `serve`.
 *
 * @module
 */
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { messageOf } from "../../../oci/message_of.ts";
import type { Log } from "../../../engine/ports/log.ts";
import { outerUser } from "../../linux/rootless/outer_user.ts";
import { ownCommand } from "../../linux/rootless/user_namespace.ts";
import { openEngineHere } from "../start/engine_here.ts";
import { makeServerLog } from "../server_log.ts";
import { usualFolders } from "../start/homes.ts";
import { OptionReader } from "../start/option_reader.ts";
import { startStep } from "../start/start_failure.ts";
import { needsUserNamespace, runAsUser } from "../user/run_as_user.ts";
import { countAll, deleteFolders, isRoot, removeAll, type ResetCounts, type ResetFolders } from "./reset_engine.ts";

/** The help on `gantry reset`. */
export const RESET_USAGE = `
Usage: gantry reset [--root DIR] [--runroot DIR] [--force]

Removes all containers, pods, networks, volumes, images and records of a root, and its files. Containers that run are killed. No server may
have the root. Without --force it asks first. Quadlets in /etc/containers/systemd, and settings, stay.
`;

const SHAPES = {
  root: { type: "string" },
  runroot: { type: "string" },
  force: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Resets, and resolves with the exit code: 1 where something could not be removed or the user says no, 2 for wrong options. */
export async function resetCommand(args: readonly string[]): Promise<number> {
  try {
    const read = new OptionReader(SHAPES, args, process.env);
    if (read.isSet("help")) {
      console.log(RESET_USAGE.trim());
      return 0;
    }
    const folders = usualFolders(process.env, outerUser(), { root: read.path("root"), runroot: read.path("runroot") });
    if (!await isRoot(folders.root)) {
      console.error(`gantry: Reset root "${folders.root}": no server has been there; say another with --root`);
      return 1;
    }
    const log = makeServerLog({ level: "warn", format: "text" });
    if (needsUserNamespace()) {
      const code = await runAsUser(folders, await ownCommand(), log);
      if (code !== undefined) return code;
    }
    return await resetRoot(folders, { isForced: read.isSet("force"), log });
  } catch (error) {
    const isWrong = error instanceof SyntaxError;
    console.error(`gantry: ${messageOf(error)}${isWrong ? "; see --help" : ""}`);
    return isWrong ? 2 : 1;
  }
}

async function resetRoot(folders: ResetFolders, { isForced, log }: { isForced: boolean; log: Log }): Promise<number> {
  const { root, runroot } = folders;
  const step = { text: `Open root "${root}" and runroot "${runroot}"`, option: "--root or --runroot" };
  const engine = await startStep(step, () => openEngineHere({ root, runroot, log }));
  let failures: string[];
  const counts = countAll(engine);
  try {
    if (!isForced && !await isAgreed(root, counts)) {
      console.error("gantry: nothing was removed");
      return 1;
    }
    failures = await removeAll(engine);
  } finally {
    await engine.close();
  }
  for (const failure of failures) console.error(`gantry: ${failure}`);
  if (failures.length > 0) {
    console.error(`gantry: the files in ${root} stay, because not everything could be removed`);
    return 1;
  }
  const kept = await deleteFolders(folders);
  for (const name of kept) console.error(`gantry: ${root}/${name} stays: it is not Gantry's`);
  console.log(`gantry: removed ${describeCounts(counts)}`);
  return 0;
}

async function isAgreed(root: string, counts: ResetCounts): Promise<boolean> {
  const what = `${describeCounts(counts)}, and all files of the server in ${root}`;
  if (!process.stdin.isTTY) {
    console.error(`gantry: Reset: this would remove ${what}; say so with --force`);
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`Remove ${what}? [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

function describeCounts(counts: ResetCounts): string {
  const parts = Object.entries(counts).map(([kind, count]) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`);
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
