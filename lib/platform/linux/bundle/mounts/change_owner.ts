import { chown, open, readlink } from "node:fs/promises";
import process from "node:process";
import { EngineError, invalid } from "../../../../engine/errors.ts";
import { CommandError, runCommand } from "../../helpers/command.ts";
import { pathRefusal } from "../../helpers/path_refusal.ts";
import { O_PATH } from "../../helpers/safe_path.ts";

/** Folders a machine lives by: nobody means to give those away. */
const VITAL = new Set([
  ..."/ /bin /boot /dev /etc /etc/passwd /etc/pki /etc/shadow /home /lib /lib64 /media /opt /proc".split(" "),
  ..."/root /run /sbin /srv /sys /tmp /usr /var /var/lib /var/log".split(" "),
]);

/**
 * Gives a folder of the host with all that is in it to a user, links themselves and not what they lead to. Nothing is done
 * where it is that user's already. All of it goes by one handle: a container that writes to a folder above cannot exchange
 * what was looked at.
 *
 * @param shown Where on the host it is, when the path is that of a mount of it
 */
export async function changeOwner(
  path: string,
  { uid, gid }: { uid: number; gid: number },
  shown?: string,
): Promise<void> {
  const opened = await open(path, O_PATH);
  try {
    const handle = `/proc/${process.pid}/fd/${opened.fd}`;
    const real = shown ?? await readlink(handle);
    if (VITAL.has(real)) {
      throw new EngineError(
        "invalid",
        `chowning host path "${real}" is not allowed. You can manually \`chown -R ${uid}:${gid} ${real}\``,
      );
    }
    const facts = await opened.stat();
    if (facts.uid === uid && facts.gid === gid) return;
    if (!facts.isDirectory()) {
      return await chown(handle, uid, gid).catch((error) => {
        throw pathRefusal(`chown ${real}`, error);
      });
    }
    // `/.` is the folder itself; the program opens what is below it one by one, without following links.
    const args = ["--recursive", "--no-dereference", "-P", "--", `${uid}:${gid}`, `${handle}/.`];
    await runCommand("chown", args, { timeout: Infinity }).catch((error) => {
      // A server that is not root cannot give away the files of another user.
      const isRefused = error instanceof CommandError && error.stderr.includes("Operation not permitted");
      throw isRefused ? invalid(`chown ${real}`, "operation not permitted") : error;
    });
  } finally {
    await opened.close();
  }
}
