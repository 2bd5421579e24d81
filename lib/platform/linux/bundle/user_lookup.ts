/**
 * Users and groups of a container, looked up in its own tree.
 *
 * @module
 */
import { EngineError } from "../../../engine/errors.ts";
import { openInside, readInside } from "../helpers/safe_path.ts";

/** The most that is read of a tree's passwd and group files. */
const LIMIT = 4 * 1024 * 1024;
const MOST_LINES = 65_536;
/** The number of fields of passwd(5). */
const MOST_FIELDS = 7;
const NEWLINE = 10;
const MOST_ID = 2 ** 31 - 1;
/** Digits are an ID, however many there are: a tree may not have a name for them that leads to another one. */
const ID = /^[+-]?[0-9]+$/;

/** The user that a container's process runs as. */
export interface ResolvedUser {
  uid: number;
  gid: number;
  additionalGids: number[];
  home: string;
  /** False when the tree's passwd file has no such user. */
  known: boolean;
  /** The passwd file as read; `undefined` where there is none. */
  passwd?: string;
  /** False when the tree's group file has no such group. */
  knownGroup: boolean;
  /** The group file as read; `undefined` where there is none. */
  group?: string;
}

interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

interface Group {
  name: string;
  gid: number;
  /** Names, with commas between them. */
  members: string;
}

/**
 * Resolves `name`, `uid`, `uid:gid`, `name:group` (empty is root) and further groups. Digits are IDs and need no entry: the
 * passwd file adds the group and the home then. Names that are missing, IDs out of range and files that are too large throw
 * `EngineError("invalid")`. Links in the tree are followed inside it.
 */
export async function resolveUser(rootfs: string, user: string, groups: readonly string[]): Promise<ResolvedUser> {
  const [passwd, group] = await Promise.all(["/etc/passwd", "/etc/group"].map((path) => readText(rootfs, path)));
  const [who = "", ofGroup = ""] = splitOnce(user);
  const entry = findUser(passwd, who === "" ? "0" : who);
  const uid = entry?.uid ?? toID(who === "" ? "0" : who);
  if (uid === undefined) {
    throw new EngineError("invalid", `unable to find user ${who}: no matching entries in passwd file`);
  }
  const gid = ofGroup === "" ? entry?.gid ?? 0 : findGroup(group, ofGroup);
  // A group given by name or number replaces the user's own memberships.
  const member = ofGroup === "" && entry !== undefined ? groupsOf(group, entry.name) : [];
  const asked = groups.map((name) => findGroup(group, name));
  return {
    uid,
    gid,
    // With the process's own among them, it cannot be dropped to get around what is denied to the group (CVE-2022-2989).
    additionalGids: [...new Set([...member, ...asked, gid])],
    home: entry?.home || (uid === 0 ? "/root" : "/"),
    known: entry !== undefined,
    passwd,
    knownGroup: groupEntries(group).some((found) => found.gid === gid),
    group,
  };
}

async function readText(rootfs: string, path: string): Promise<string | undefined> {
  const bytes = await readInside(rootfs, path, LIMIT + 1);
  if (bytes === undefined) return await refusePipe(rootfs, path);
  if (bytes.length > LIMIT) throw tooLarge(path, `${LIMIT} bytes`);
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (++lines > MOST_LINES) throw tooLarge(path, `${MOST_LINES} lines`);
  }
  return new TextDecoder().decode(bytes);
}

function tooLarge(path: string, limit: string): EngineError {
  return new EngineError("invalid", `Resolve user: "${path}" of the container's tree has more than ${limit}`);
}

/** The runtime reads the file as well, and would wait for somebody to write into it. */
async function refusePipe(rootfs: string, path: string): Promise<undefined> {
  const found = await openInside(rootfs, path);
  try {
    if (!(await found?.stat())?.isFIFO()) return;
    throw new EngineError("invalid", `Resolve user: "${path}" of the container's tree is a named pipe`);
  } finally {
    await found?.close();
  }
}

function splitOnce(user: string): [string, string] {
  const colon = user.indexOf(":");
  return colon < 0 ? [user, ""] : [user.slice(0, colon), user.slice(colon + 1)];
}

function findUser(passwd: string | undefined, who: string): User | undefined {
  const id = toID(who);
  const isIt = ({ name, uid }: User) => id === undefined ? name === who : uid === id;
  return userEntries(passwd).find(isIt);
}

function findGroup(group: string | undefined, name: string): number {
  const gid = toID(name) ?? groupEntries(group).find((entry) => entry.name === name)?.gid;
  if (gid !== undefined) return gid;
  throw new EngineError("invalid", `unable to find group ${name}: no matching entries in group file`);
}

function groupsOf(group: string | undefined, name: string): number[] {
  return groupEntries(group).filter(({ members }) => `,${members},`.includes(`,${name},`)).map(({ gid }) => gid)
    .toArray();
}

/** The ID that digits are; `undefined` for a name. Throws `EngineError("invalid")` for one that is out of range. */
function toID(text: string): number | undefined {
  if (!ID.test(text)) return undefined;
  const id = Number(text);
  if (id >= 0 && id <= MOST_ID) return id;
  const shown = text.length > 32 ? `${text.slice(0, 32)}…` : text;
  throw new EngineError("invalid", `Resolve user "${shown}": uids and gids must be in range 0-${MOST_ID}`);
}

function userEntries(text = ""): IteratorObject<User> {
  return fields(text).flatMap(([name = "", , uid, gid, , home = ""]) => {
    return isEntryID(uid) && isEntryID(gid) ? [{ name, uid: Number(uid), gid: Number(gid), home }] : [];
  });
}

function groupEntries(text = ""): IteratorObject<Group> {
  return fields(text).flatMap(([name = "", , gid, members = ""]) => {
    return isEntryID(gid) ? [{ name, gid: Number(gid), members }] : [];
  });
}

/** One line after the other: a file of short lines is some hundred bytes of memory for each when they are all taken apart. */
function* fields(text: string): Generator<string[]> {
  for (let start = 0, end; start < text.length; start = end + 1) {
    end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    const line = text.slice(start, end).trim();
    if (line !== "" && !line.startsWith("#")) yield line.split(":", MOST_FIELDS);
  }
}

function isEntryID(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) && Number(text) <= MOST_ID;
}
