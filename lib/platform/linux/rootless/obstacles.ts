/**
 * The reasons why a user cannot have a user namespace with subordinate IDs, each in one line with what helps.
 *
 * @module
 */
import type { IDRange } from "../../../engine/ports/user_port.ts";
import { findProgram } from "../helpers/programs.ts";
import { firstFreeID, subordinateRanges } from "./subordinate_ids.ts";
import { hostText } from "../helpers/bounded_read.ts";

/** The facts that decide whether a user can have a user namespace. */
export interface NamespaceFacts {
  /** The name and ID of the user. */
  readonly user: { readonly name: string; readonly uid: number };
  readonly subordinate: { readonly uids: readonly IDRange[]; readonly gids: readonly IDRange[] };
  /** The first ID that no user has a range at or behind. */
  readonly firstFree: number;
  /** The programs that were found, of `newuidmap`, `newgidmap` and `perl`. */
  readonly found: ReadonlySet<string>;
  /** The values of the settings of {@linkcode SETTINGS} that this kernel has. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The IDs of a user that useradd(8) makes. */
const RANGE = 65_536;
const PROGRAMS = ["newuidmap", "newgidmap", "perl"];
/** The settings that forbid user namespaces to users, by their value that does. */
const SETTINGS: Readonly<Record<string, string>> = {
  "user.max_user_namespaces": "0",
  "kernel.unprivileged_userns_clone": "0",
  "kernel.apparmor_restrict_unprivileged_userns": "1",
};

/** Returns why the user cannot have a namespace, or undefined where nothing is known against it. */
export function namespaceObstacle(
  { user, subordinate, firstFree, found, settings }: NamespaceFacts,
): string | undefined {
  const missing = PROGRAMS.find((name) => !found.has(name));
  if (missing !== undefined) {
    return `${missing} is missing: install ${missing === "perl" ? "perl-base" : "uidmap (Debian) or shadow-utils"}`;
  }
  const setting = Object.keys(SETTINGS).find((name) => settings[name] === SETTINGS[name]);
  if (setting !== undefined) {
    const other = SETTINGS[setting] === "1" ? "0" : setting === "user.max_user_namespaces" ? "65536" : "1";
    return `${setting} = ${
      settings[setting]
    } forbids user namespaces: root can allow them with "sysctl ${setting}=${other}"`;
  }
  for (const [file, ranges] of [["/etc/subuid", subordinate.uids], ["/etc/subgid", subordinate.gids]] as const) {
    if (ranges.length > 0) continue;
    const range = `${firstFree}-${firstFree + RANGE - 1}`;
    const command = `usermod --add-subuids ${range} --add-subgids ${range} ${user.name}`;
    return `${file} has no range for user "${user.name}": root can add one with "${command}"`;
  }
  return undefined;
}

/** Gathers the facts about a user of this machine. */
export async function readNamespaceFacts(uid: number): Promise<NamespaceFacts> {
  const name = await nameOfUser(uid);
  const ranges = (file: string) => subordinateRanges(file, [name, String(uid)]);
  const [uids, gids, firstFree, found, settings] = await Promise.all([
    ranges("/etc/subuid"),
    ranges("/etc/subgid"),
    firstFreeID(["/etc/subuid", "/etc/subgid"]),
    Promise.all(PROGRAMS.map(async (program) => await findProgram(program) === undefined ? [] : [program])),
    Promise.all(Object.keys(SETTINGS).map(async (setting) => [setting, await readSetting(setting)] as const)),
  ]);
  const known = settings.filter(([, value]) => value !== "");
  return {
    user: { name, uid },
    subordinate: { uids, gids },
    firstFree,
    found: new Set(found.flat()),
    settings: Object.fromEntries(known),
  };
}

async function nameOfUser(uid: number): Promise<string> {
  const lines = (await hostText("/etc/passwd")).split("\n").map((line) => line.split(":"));
  return lines.find((fields) => fields[2] === String(uid))?.[0] ?? String(uid);
}

async function readSetting(name: string): Promise<string> {
  return (await hostText(`/proc/sys/${name.replaceAll(".", "/")}`)).trim();
}
