/**
 * Users and groups of a container, looked up in its own tree.
 *
 * @module
 */
import { EngineError } from "../../../engine/errors.ts";
import { openInside, readInside } from "../safe_path.ts";

/** The most that is read of a tree's passwd and group files. */
const LIMIT = 4 * 1024 * 1024;
const MOST_ID = 2 ** 31 - 1;

/** Who a container's process runs as. */
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
  members: string[];
}

/**
 * Resolves `name`, `uid`, `uid:gid`, `name:group` (empty is root) and further groups. Numbers need no entry; names that
 * are missing throw `EngineError("invalid")`. Links in the tree are followed inside it.
 */
export async function resolveUser(rootfs: string, user: string, groups: readonly string[]): Promise<ResolvedUser> {
  const [passwd, group] = await Promise.all(["/etc/passwd", "/etc/group"].map((path) => readText(rootfs, path)));
  const users = parseUsers(passwd ?? "");
  const allGroups = parseGroups(group ?? "");
  const [who = "", ofGroup = ""] = splitOnce(user === "" ? "0" : user);
  const entry = findUser(users, who);
  const uid = entry?.uid ?? toID(who);
  if (uid === undefined) {
    throw new EngineError("invalid", `unable to find user ${who}: no matching entries in passwd file`);
  }
  const gid = ofGroup === "" ? entry?.gid ?? 0 : findGroup(allGroups, ofGroup);
  // A group given by name or number replaces the user's own memberships.
  const member = ofGroup === "" && entry !== undefined
    ? allGroups.filter(({ members }) => members.includes(entry.name)).map((group) => group.gid)
    : [];
  const asked = groups.map((name) => findGroup(allGroups, name));
  return {
    uid,
    gid,
    // With the process's own among them, it cannot be dropped to get around what is denied to the group (CVE-2022-2989).
    additionalGids: [...new Set([...member, ...asked, gid])],
    home: entry?.home || (uid === 0 ? "/root" : "/"),
    known: entry !== undefined,
    passwd,
    knownGroup: allGroups.some((group) => group.gid === gid),
    group,
  };
}

async function readText(rootfs: string, path: string): Promise<string | undefined> {
  const bytes = await readInside(rootfs, path, LIMIT);
  if (bytes === undefined) await refusePipe(rootfs, path);
  return bytes && new TextDecoder().decode(bytes);
}

/** The runtime reads the file as well, and would wait for somebody to write into it. */
async function refusePipe(rootfs: string, path: string): Promise<void> {
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

/** A name wins over a number spelled the same, as login programs have it. */
function findUser(users: readonly User[], who: string): User | undefined {
  const id = who === "" ? 0 : toID(who);
  return users.find(({ name }) => name === who) ?? users.find(({ uid }) => uid === id);
}

function findGroup(groups: readonly Group[], name: string): number {
  const gid = groups.find((group) => group.name === name)?.gid ?? toID(name);
  if (gid === undefined) {
    throw new EngineError("invalid", `unable to find group ${name}: no matching entries in group file`);
  }
  return gid;
}

function toID(text: string): number | undefined {
  if (!/^[0-9]{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  if (id > MOST_ID) throw new EngineError("invalid", `Resolve user: ${text} is larger than ${MOST_ID}`);
  return id;
}

function parseUsers(text: string): User[] {
  return fields(text).flatMap(([name, , uid, gid, , home]) => {
    if (!isID(uid) || !isID(gid)) return [];
    return [{ name: name ?? "", uid: Number(uid), gid: Number(gid), home: home ?? "" }];
  });
}

function parseGroups(text: string): Group[] {
  return fields(text).flatMap(([name, , gid, members]) => {
    if (!isID(gid)) return [];
    return [{ name: name ?? "", gid: Number(gid), members: (members ?? "").split(",") }];
  });
}

function fields(text: string): string[][] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.trim().split(":"));
}

function isID(text: string | undefined): boolean {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) && Number(text) <= MOST_ID;
}
