/**
 * /etc/passwd and /etc/group of a container whose users its image does not know.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { EngineError } from "../../../../engine/errors.ts";
import type { ResolvedUser } from "../user_lookup.ts";
import { visitEntries } from "./account_file.ts";

/** Returns the lines of users that the tree's passwd file lacks; empty where the file will do as it is. */
export async function missingUsers(record: ContainerRecord, user: ResolvedUser, rootfs: string): Promise<string> {
  const { spec } = record;
  if (spec.noPasswd || !user.hasPasswd) return "";
  const fromHost = await hostEntries(spec.hostUsers ?? []);
  const known = fromHost.length === 0 ? new Set() : await namesAmong(rootfs, fromHost);
  const added = fromHost.filter(({ name }) => !known.has(name)).map(({ line }) => `${line}\n`);
  const isAdded = fromHost.some(({ uid }) => uid === user.uid);
  if (!user.known && !isAdded) added.push(ownEntry(record, user));
  return added.join("");
}

/** Returns the line of the group that is only a number, as {@linkcode missingUsers}. */
export function missingGroup({ spec }: ContainerRecord, { knownGroup, hasGroup, gid }: ResolvedUser): string {
  if (spec.noPasswd || knownGroup || !hasGroup) return "";
  if (spec.groupEntry === undefined) return `${gid}:x:${gid}:\n`;
  return `${replaceValues(spec.groupEntry, { GROUPNAME: String(gid), GID: String(gid), USERLIST: "" })}\n`;
}

/** Returns the names of entries that the tree's passwd file has, too. */
async function namesAmong(rootfs: string, entries: readonly Entry[]): Promise<Set<string>> {
  const wanted = new Set(entries.map(({ name }) => name));
  const found = new Set<string>();
  await visitEntries(rootfs, "/etc/passwd", ({ fields: [name] }) => {
    if (name !== undefined && wanted.has(name)) found.add(name);
  });
  return found;
}

/** Throws `EngineError("invalid")` for users the host does not have. */
export async function checkHostUsers(names: readonly string[]): Promise<void> {
  await hostEntries(names);
}

interface Entry {
  name: string;
  uid: number;
  line: string;
}

/** The host's entries of users, by name or number, without what only the host has: their passwords and shells. */
async function hostEntries(users: readonly string[]): Promise<Entry[]> {
  if (users.length === 0) return [];
  const entries = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  return users.map((user) => {
    // Digits are an ID, as for the container's own user.
    const found = entries.find(([name, , uid]) => /^[0-9]+$/.test(user) ? uid === user : name === user);
    if (found === undefined) throw new EngineError("invalid", `user: unknown user ${user}`);
    const [name = "", , uid = "", gid = "", comment = "", home = ""] = found;
    return { name, uid: Number(uid), line: `${name}:*:${uid}:${gid}:${comment}:${home}:/bin/sh` };
  });
}

function ownEntry({ spec, process }: ContainerRecord, { uid, gid }: ResolvedUser): string {
  // A folder whose name would end the field, or the line, does not belong in this file.
  const home = /[:\n]/.test(process.workdir) ? "/" : process.workdir;
  if (spec.passwdEntry === undefined) return `${uid}:*:${uid}:${gid}:container user:${home}:/bin/sh\n`;
  const values = { USERNAME: String(uid), UID: String(uid), GID: String(gid), NAME: "container user", HOME: home };
  return `${replaceValues(spec.passwdEntry, values)}\n`;
}

function replaceValues(text: string, values: Record<string, string>): string {
  return Object.entries(values).reduce((result, [name, value]) => result.replaceAll(`$${name}`, () => value), text);
}
