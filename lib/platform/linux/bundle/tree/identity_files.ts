/**
 * /etc/passwd and /etc/group of a container whose users its image does not know.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { EngineError } from "../../../../engine/errors.ts";
import type { ResolvedUser } from "../user_lookup.ts";

/** The text of a passwd file with who is missing in it; `undefined` where the tree's own will do. */
export async function passwdText(record: ContainerRecord, user: ResolvedUser): Promise<string | undefined> {
  const { spec } = record;
  if (spec.noPasswd || user.passwd === undefined) return undefined;
  const fromHost = await hostEntries(spec.hostUsers ?? []);
  const known = `\n${user.passwd}`;
  const added = fromHost.filter(({ name }) => !known.includes(`\n${name}:`)).map(({ line }) => `${line}\n`);
  const isAdded = fromHost.some(({ uid }) => uid === user.uid);
  if (!user.known && !isAdded) added.push(ownEntry(record, user));
  return added.length === 0 ? undefined : lines(user.passwd) + added.join("");
}

/** The text of a group file with the group that is only a number, as {@linkcode passwdText}. */
export function groupText({ spec }: ContainerRecord, user: ResolvedUser): string | undefined {
  const { knownGroup, group, gid } = user;
  if (spec.noPasswd || knownGroup || group === undefined) return undefined;
  if (spec.groupEntry === undefined) return `${lines(group)}${gid}:x:${gid}:\n`;
  const entry = replaced(spec.groupEntry, { GROUPNAME: String(gid), GID: String(gid), USERLIST: "" });
  return `${lines(group)}${entry}\n`;
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
  return `${replaced(spec.passwdEntry, values)}\n`;
}

function replaced(text: string, values: Record<string, string>): string {
  return Object.entries(values).reduce((result, [name, value]) => result.replaceAll(`$${name}`, () => value), text);
}

/** A file's text, with its last line ended. */
function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
