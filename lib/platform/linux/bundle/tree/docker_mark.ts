import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DOCKER_MARK } from "../../../../engine/records/spec_parts.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Makes the empty file by which programs know a container of Docker's, in a tree that has nothing of that name. It is a file of the tree and no
 * mount, as in Docker, so that programs may delete it.
 */
export async function markDockerTree(rootfs: string, owner: { uid: number; gid: number }): Promise<void> {
  try {
    // The name itself is made, whatever a container that shares the tree does meanwhile: no link is followed.
    const file = await open(join(rootfs, DOCKER_MARK), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o755);
    try {
      // Whatever the server's umask.
      await file.chmod(0o755);
      if (owner.uid !== 0 || owner.gid !== 0) await file.chown(owner.uid, owner.gid);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!hasSystemCode(error, "EEXIST")) throw error;
  }
}
