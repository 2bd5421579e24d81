import { readFileSync } from "node:fs";
import type { RawNames } from "./process_reader.ts";

/** Names of users and groups, by their numbers on this host. */
export interface UserNames {
  uid(id: number): number;
  user(id: number): string;
  group(id: number): string;
}

/** The names that a process's own tree and user namespace give; numbers where it has none, or has ended. */
export function namesInside({ passwd, group, uidMap, gidMap }: RawNames): UserNames {
  const [users, groups] = [parseNames(passwd), parseNames(group)];
  const [uids, gids] = [readMap(uidMap), readMap(gidMap)];
  const nameIn = (names: ReadonlyMap<number, string>, id: number) => names.get(id) ?? String(id);
  return {
    uid: (id) => insideID(uids, id),
    user: (id) => nameIn(users, insideID(uids, id)),
    group: (id) => nameIn(groups, insideID(gids, id)),
  };
}

/** This host's names. */
export function namesHere(): UserNames {
  const read = (path: string) => {
    try {
      return parseNames(readFileSync(path, "utf8"));
    } catch {
      return new Map<number, string>();
    }
  };
  const [users, groups] = [read("/etc/passwd"), read("/etc/group")];
  return {
    uid: (id) => id,
    user: (id) => users.get(id) ?? String(id),
    group: (id) => groups.get(id) ?? String(id),
  };
}

function parseNames(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split("\n")) {
    const [name = "", , id = ""] = line.split(":");
    // The first of several counts, as for getpwuid(3). A table has no room for other characters.
    if (/^[\w.$-]+$/.test(name) && /^\d{1,10}$/.test(id) && !names.has(Number(id))) names.set(Number(id), name);
  }
  return names;
}

type IDRange = readonly [inside: number, here: number, size: number];

/** user_namespaces(7) */
function readMap(text: string): IDRange[] {
  const lines = text.trim().split("\n").filter((line) => line !== "");
  return lines.map((line) => line.trim().split(/\s+/).map(Number)).map(([a = 0, b = 0, size = 0]) => [a, b, size]);
}

function insideID(ranges: readonly IDRange[], id: number): number {
  const range = ranges.find(([, here, size]) => id >= here && id < here + size);
  return range === undefined ? id : range[0] + id - range[1];
}
