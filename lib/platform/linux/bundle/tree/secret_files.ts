/**
 * The secrets a container mounts, in memory: no disk ever holds them, and they are gone with the container's process.
 *
 * @module
 */
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SecretFile } from "../../../../engine/ports/host_port.ts";
import { runCommand } from "../../helpers/command.ts";
import { mountClosed } from "../../calls/libc.ts";
import { unmountAll } from "../../mounts/overlay.ts";
import { secretsFolder } from "../../helpers/paths.ts";
import type { HostFile } from "../mounts/bind_mounts.ts";

/** The folder of most secrets in a container: one mount for all. */
const FOLDER = "/run/secrets";
const OPTIONS = "mode=0700,size=1g";

/**
 * Writes a container's secrets and gives what is to be bound into its tree, by destination.
 *
 * @param bundle The container's bundle
 * @param files The secrets
 * @param isTaken Whether something else is mounted at a place or below it: then each file is bound by itself, as nothing can
 * be mounted below a folder that is read-only
 */
export async function placeSecrets(
  bundle: string,
  files: readonly SecretFile[],
  isTaken: (destination: string) => boolean,
): Promise<Record<string, HostFile>> {
  if (files.length === 0) return {};
  const root = secretsFolder(bundle);
  await mkdir(root, { mode: 0o700 });
  if (!await mountClosed("tmpfs", root, OPTIONS)) {
    await runCommand("mount", ["-t", "tmpfs", "-o", `nosuid,nodev,noexec,${OPTIONS}`, "tmpfs", root]);
  }
  const shared = join(root, "shared");
  await mkdir(shared);
  // Whatever the server's umask: what lies in it has permissions of its own.
  await chmod(shared, 0o755);
  const fixed = (source: string): HostFile => ({ source, kind: "fixed" });
  const binds: Record<string, HostFile> = isTaken(FOLDER) ? {} : { [FOLDER]: fixed(shared) };
  for (const [index, { path, data, uid, gid, mode }] of files.entries()) {
    const isShared = path.startsWith(`${FOLDER}/`);
    const source = isShared ? join(shared, path.slice(FOLDER.length)) : join(root, String(index));
    await mkdir(dirname(source), { recursive: true });
    await writeFile(source, data, { mode: 0o600, flag: "wx" });
    await chown(source, uid, gid);
    await chmod(source, mode & 0o7777);
    if (!isShared || !(FOLDER in binds)) binds[path] = fixed(source);
  }
  return binds;
}

/** Lets go of the memory that holds them. */
export async function clearSecrets(bundle: string): Promise<void> {
  await unmountAll(secretsFolder(bundle));
}
