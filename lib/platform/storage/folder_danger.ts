import { readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { mayBeRoots } from "../linux/rootless/outer_user.ts";

/** The sticky bit: in a folder open to all, an entry belongs to the user that made it. */
const STICKY = 0o1000;

/**
 * Returns why another user could replace a folder, or fill it, and undefined where nobody can: the folder, or one above it,
 * belongs to somebody else than root and this process's user, or others may write to it. Records that another user puts in
 * place decide what runs as root, and clients take a socket that another user puts in place for the server's.
 *
 * A folder that its group may write to is as open as one that all may write to, unless the group is root's or nobody but this
 * user is in it: the usual umask of some systems (002) makes such folders in homes. One above, open to all, is taken where it
 * is sticky, as `/tmp` is: the entry below it is checked to be ours or root's.
 *
 * @param sticky Takes the folder itself, too, where it is sticky: for one entry that this process makes, and nobody else can
 * exchange while it is there
 */
export async function folderDanger(path: string, sticky = false): Promise<string | undefined> {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  const whole = await realpath(path);
  for (let folder = whole;; folder = dirname(folder)) {
    const { uid, gid, mode } = await stat(folder);
    // From inside a namespace all other users look the same. The server's own folders were checked before it entered its one.
    const why = !mayBeRoots(uid) && uid !== own
      ? `"${folder}" belongs to user ${uid}: use a folder of your own`
      : (sticky || folder !== whole) && (mode & STICKY) !== 0
      ? undefined
      : (mode & 0o002) !== 0
      ? `every user may write to "${folder}": forbid it (chmod o-w), or use another folder`
      : (mode & 0o020) !== 0 && !await isPrivateGroup(gid, own)
      ? `group ${gid} may write to "${folder}": forbid it (chmod g-w), or use another folder`
      : undefined;
    if (why !== undefined || folder === dirname(folder)) return why;
  }
}

/** Whether a group is root's, or has no member but one user. A group that cannot be looked up may have any. */
async function isPrivateGroup(gid: number, uid: number): Promise<boolean> {
  if (gid === 0) return true;
  try {
    const [groups, users] = (await Promise.all([readFile("/etc/group", "utf8"), readFile("/etc/passwd", "utf8")]))
      .map((text) => text.split("\n").map((line) => line.split(":")));
    const ofGroup = groups.filter((fields) => fields[2] === String(gid));
    const names = ofGroup.flatMap((fields) => (fields[3] ?? "").split(",").filter((name) => name !== ""));
    const members = users.filter(([name, , , group]) => group === String(gid) || names.includes(name));
    return ofGroup.length === 1 && members.length > 0 && members.every((fields) => fields[2] === String(uid)) &&
      names.every((name) => members.some((fields) => fields[0] === name));
  } catch {
    return false;
  }
}
