import { realpath, stat } from "node:fs/promises";
import { EngineError } from "../../../engine/errors.ts";
import { runCommand } from "../command.ts";

/** Folders a machine lives by: nobody means to give those away. */
const VITAL = new Set([
  ..."/ /bin /boot /dev /etc /etc/passwd /etc/pki /etc/shadow /home /lib /lib64 /media /opt /proc".split(" "),
  ..."/root /run /sbin /srv /sys /tmp /usr /var /var/lib /var/log".split(" "),
]);

/**
 * Gives a folder of the host with all that is in it to a user, links themselves and not what they lead to. Nothing is done
 * where it is that user's already.
 */
export async function changeOwner(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  const real = await realpath(path);
  if (VITAL.has(real)) {
    throw new EngineError(
      "invalid",
      `chowning host path "${real}" is not allowed. You can manually \`chown -R ${uid}:${gid} ${real}\``,
    );
  }
  const facts = await stat(real);
  if (facts.uid === uid && facts.gid === gid) return;
  const args = ["--recursive", "--no-dereference", "-P", "--", `${uid}:${gid}`, real];
  await runCommand("chown", args, { timeout: Infinity });
}
