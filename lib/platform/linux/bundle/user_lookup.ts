/**
 * Users and groups of a container, looked up in its own tree.
 *
 * @module
 */
import { EngineError } from "../../../engine/errors.ts";
import { splitPair } from "../../../engine/text/pairs.ts";
import { visitEntries } from "./tree/account_file.ts";

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
  /** Whether the tree has a passwd file. */
  hasPasswd: boolean;
  /** False when the tree's group file has no such group. */
  knownGroup: boolean;
  /** Whether the tree has a group file. */
  hasGroup: boolean;
}

/** A user's entry of the passwd file. */
interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** The answers of the group file. */
interface Groups {
  hasGroup: boolean;
  /** The IDs of the names that were asked for. */
  gids: ReadonlyMap<string, number>;
  /** The groups that the user is a member of. */
  member: readonly number[];
  /** Whether the user's own group has an entry. */
  isKnown: boolean;
}

/**
 * Resolves `name`, `uid`, `uid:gid`, `name:group` (empty is root) and further groups. Digits are IDs and need no entry: the
 * passwd file adds the group and the home then. Names that are missing, IDs out of range and files that are too large throw
 * `EngineError("invalid")`. Links in the tree are followed inside it.
 */
export async function resolveUser(rootfs: string, user: string, groups: readonly string[]): Promise<ResolvedUser> {
  const [name = "", ofGroup = ""] = splitPair(user, ":");
  const who = name === "" ? "0" : name;
  const { entry, hasPasswd } = await findUser(rootfs, who);
  const uid = entry?.uid ?? toID(who);
  if (uid === undefined) {
    throw new EngineError("invalid", `unable to find user ${who}: no matching entries in passwd file`);
  }
  // A group given by name or number replaces the user's own memberships.
  const own = ofGroup === "" ? entry?.gid ?? 0 : toID(ofGroup);
  const names = [ofGroup, ...groups].filter((group) => group !== "" && toID(group) === undefined);
  const found = await findGroups(rootfs, { names, own, member: ofGroup === "" ? entry?.name : undefined });
  const gidOf = (group: string) => toID(group) ?? found.gids.get(group) ?? missingGroup(group);
  const gid = own ?? gidOf(ofGroup);
  const asked = groups.map(gidOf);
  return {
    uid,
    gid,
    // With the process's own among them, it cannot be dropped to get around what is denied to the group (CVE-2022-2989).
    additionalGids: [...new Set([...found.member, ...asked, gid])],
    home: entry?.home || (uid === 0 ? "/root" : "/"),
    known: entry !== undefined,
    hasPasswd,
    knownGroup: own === undefined || found.isKnown,
    hasGroup: found.hasGroup,
  };
}

async function findUser(rootfs: string, who: string): Promise<{ entry?: User; hasPasswd: boolean }> {
  const id = toID(who);
  let entry: User | undefined;
  const hasPasswd = await visitEntries(rootfs, "/etc/passwd", ({ fields: [name, , uid, gid, , home = ""] }) => {
    if (entry !== undefined || !isEntryID(uid) || !isEntryID(gid)) return;
    if (id === undefined ? name !== who : Number(uid) !== id) return;
    entry = { name: name ?? "", uid: Number(uid), gid: Number(gid), home };
  });
  return { entry, hasPasswd };
}

/** Looks for groups by name, for the entry of the user's own and for those that the user is a member of, all in one reading. */
async function findGroups(
  rootfs: string,
  wanted: { names: readonly string[]; own?: number; member?: string },
): Promise<Groups> {
  const gids = new Map<string, number>();
  const member: number[] = [];
  let isKnown = false;
  const hasGroup = await visitEntries(rootfs, "/etc/group", ({ fields: [name, , id], isMember }) => {
    if (!isEntryID(id)) return;
    const gid = Number(id);
    isKnown ||= gid === wanted.own;
    if (isMember) member.push(gid);
    if (name !== undefined && wanted.names.includes(name) && !gids.has(name)) gids.set(name, gid);
  }, wanted.member);
  return { hasGroup, gids, member, isKnown };
}

function missingGroup(name: string): never {
  throw new EngineError("invalid", `unable to find group ${name}: no matching entries in group file`);
}

/** The ID that digits are; `undefined` for a name. Throws `EngineError("invalid")` for one that is out of range. */
function toID(text: string): number | undefined {
  if (!ID.test(text)) return undefined;
  const id = Number(text);
  if (id >= 0 && id <= MOST_ID) return id;
  const shown = text.length > 32 ? `${text.slice(0, 32)}…` : text;
  throw new EngineError("invalid", `Resolve user "${shown}": uids and gids must be in range 0-${MOST_ID}`);
}

function isEntryID(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) && Number(text) <= MOST_ID;
}
