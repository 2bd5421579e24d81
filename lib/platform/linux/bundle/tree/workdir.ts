import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { EngineError } from "../../../../engine/errors.ts";
import { openInside } from "../../helpers/safe_path.ts";

/** A deeper one is nobody's working directory. */
const DEPTH_LIMIT = 128;

/** Owner of what is made. */
interface Owner {
  uid: number;
  gid: number;
}

/** Makes a folder of the container's tree with its parents, where it is missing, without leaving the tree. */
export async function ensureFolder(rootfs: string, path: string, owner: Owner): Promise<void> {
  const found = await openInside(rootfs, path);
  if (found !== undefined) return await found.close();
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.length > DEPTH_LIMIT) {
    throw new EngineError("invalid", `workdir "${path.slice(0, 256)}" does not exist and is too deep to be made`);
  }
  for (let depth = 1; depth <= names.length; depth++) {
    const existing = await openInside(rootfs, names.slice(0, depth).join("/"));
    if (existing !== undefined) {
      await existing.close();
      continue;
    }
    const parent = await openInside(rootfs, names.slice(0, depth - 1).join("/"));
    // A link that leads nowhere, or a file: the runtime will say it.
    if (parent === undefined) return;
    try {
      if (!await makeBelow(parent, names[depth - 1]!, owner)) return;
    } finally {
      await parent.close();
    }
  }
}

/** Throws `EngineError("invalid")` where the container's tree has no such folder. */
export async function requireFolder(rootfs: string, path: string, containerID: string): Promise<void> {
  const found = await openInside(rootfs, path);
  if (found === undefined) {
    throw new EngineError("invalid", `workdir "${path}" does not exist on container ${containerID}`);
  }
  await found.close();
}

async function makeBelow(parent: FileHandle, name: string, owner: Owner): Promise<boolean> {
  const path = `/proc/self/fd/${parent.fd}/${name}`;
  try {
    await mkdir(path, 0o755);
  } catch {
    return false;
  }
  // Others may share the tree and have put a link in its place: its target would be given away.
  const made = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY).catch(() =>
    undefined
  );
  if (made === undefined) return false;
  try {
    await made.chmod(0o755);
    await made.chown(owner.uid, owner.gid);
    return true;
  } finally {
    await made.close();
  }
}
