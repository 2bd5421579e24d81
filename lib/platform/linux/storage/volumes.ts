/**
 * Named volumes: `root/volumes/<name>/_data`.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, renameSync } from "node:fs";
import { chmod, chown, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import type { FillOwner, FillUser, Layers, Volumes } from "../../../engine/ports/host_port.ts";
import { hostID } from "../../../engine/records/id_maps.ts";
import type { TreeLimit } from "../../../engine/records/limits.ts";
import type { FileOwner, FolderRights, VolumeDevice } from "../../../engine/records/volume_record.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { withRoom } from "../../storage/disk_room.ts";
import { SubPaths } from "../bundle/mounts/sub_paths.ts";
import { resolveUser } from "../bundle/user_lookup.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import type { HostContext } from "../helpers/context.ts";
import { kernelOlderThan } from "../helpers/version_order.ts";
import { NO_DEVICES, NO_LINKS, NO_LINKS_SINCE, NO_SETUID } from "../mounts/mount_handle.ts";
import { containerPaths, type HostPaths } from "../helpers/paths.ts";
import { hasMount, unmountBelow } from "../mounts/mounts_below.ts";
import { makeMissing, makeNew } from "../helpers/make_missing.ts";
import { openInside } from "../helpers/safe_path.ts";
import { heldToLimits, ProjectQuotas } from "./project_quotas.ts";
import { isEmptySmall } from "../helpers/small_tree.ts";
import { sweep } from "../helpers/sweeper.ts";
import { isEmptyFolder, namesIn, removeFolder, removeTree, treeSize, treeSizes } from "../helpers/tree.ts";
import { syncFolder } from "../../storage/sync_folder.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The prefix of volumes that are being removed; no volume's name begins with a dot. */
const DOOMED = ".removed-";

/** Opens the volumes of a host and sweeps what an earlier process left half removed. */
export async function openVolumes(context: HostContext, layers: Layers): Promise<Volumes> {
  const { paths } = context;
  const doomed = (await namesIn(paths.volumes)).filter((name) => name.startsWith(DOOMED));
  await sweep(context, doomed.map((name) => join(paths.volumes, name)));
  return new FolderVolumes(context, layers);
}

class FolderVolumes implements Volumes {
  readonly #context: HostContext;
  readonly #paths: HostPaths;
  readonly #layers: Layers;
  readonly #quotas: ProjectQuotas;

  constructor(context: HostContext, layers: Layers) {
    this.#context = context;
    this.#paths = context.paths;
    this.#layers = layers;
    this.#quotas = new ProjectQuotas(context.log);
  }

  path(name: string): string {
    return join(this.#folder(name), "_data");
  }

  async create(name: string, owner?: FolderRights, limit?: TreeLimit): Promise<string> {
    const path = this.path(name);
    if (existsSync(path)) {
      if (limit !== undefined) await this.#quotas.renew(this.#folder(name), limit);
      return path;
    }
    if (limit !== undefined) {
      await this.#quotas.require(this.#paths.volumes);
      makeMissing(this.#folder(name), 0o755);
      await this.#quotas.limit(this.#folder(name), limit);
    }
    makeNew(this.#folder(name), 0o755);
    makeNew(path, 0o755);
    // The umask is not asked: programs of any user start in there. To set the mode takes less than to look at it.
    for (const folder of [this.#folder(name), path]) chmodSync(folder, 0o755);
    if (owner !== undefined) {
      await chown(path, owner.uid, owner.gid);
      if (owner.mode !== undefined) await chmod(path, owner.mode);
      await syncFolder(path);
    }
    return path;
  }

  async copyUp(
    name: string,
    containerID: string,
    path: string,
    { owner, user, always = false }: FillOwner = {},
  ): Promise<void> {
    const target = await this.create(name);
    if (!await isEmptyFolder(target) || !(await this.#layers.containers()).includes(containerID)) return;
    const tree = join(containerPaths(this.#paths, containerID).storage, "merged");
    const source = await openInside(tree, path);
    const isMount = await hasMount(target);
    if (source === undefined) {
      // A device's own folder, which may be one of the host, is not given away.
      const users = isMount ? undefined : await userOwner(tree, user);
      if (users !== undefined) await giveIfThere(target, users);
      else if (owner !== undefined) await chown(target, owner.uid, owner.gid);
      return;
    }
    // A mount cannot be replaced: its folder is filled in place.
    const copy = isMount ? target : join(this.#folder(name), `.copy-${randomUUID()}`);
    try {
      if (!(await source.stat()).isDirectory()) return;
      if (!isMount) await mkdir(copy);
      // Another container may have this tree, too, and exchange folders for links while they are copied (`--rootfs`).
      await using parts = new SubPaths(containerPaths(this.#paths, containerID).parts);
      const from = kernelOlderThan(NO_LINKS_SINCE)
        ? `/proc/${process.pid}/fd/${source.fd}`
        : await parts.show(source, NO_LINKS | NO_SETUID | NO_DEVICES);
      // Holes stay holes.
      const args = ["--archive", "--sparse=always", "--one-file-system", "--no-target-directory", "--"];
      const command = [...args, `${from}/.`, copy];
      const [program, all] = this.#quotas.has(this.#folder(name)) ? await heldToLimits("cp", command) : ["cp", command];
      await withRoom(copy, "Fill volume", (signal) => runCommand(program, all, { timeout: Infinity, signal }));
      if (owner !== undefined && always) await chown(copy, owner.uid, owner.gid);
      if (!isMount) await rename(copy, target);
    } finally {
      await source.close();
      if (!isMount) await removeTree(copy);
    }
  }

  async mount(name: string, { type, source, options }: VolumeDevice): Promise<void> {
    const path = await this.create(name);
    if (await hasMount(path)) return;
    const kind = type === "" ? [] : type === "bind" ? ["-o", "bind"] : ["-t", type];
    const choices = options === "" ? [] : ["-o", options];
    try {
      await runCommand("mount", [...kind, ...choices, "--", source, path]);
    } catch (error) {
      const why = error instanceof CommandError && error.stderr.trim() || messageOf(error);
      throw new EngineError("internal", `mounting volume ${name}: ${why}`, { cause: error });
    }
  }

  async unmount(name: string): Promise<void> {
    await unmountBelow(this.path(name));
  }

  size(name: string): Promise<number> {
    return treeSize(this.path(name));
  }

  sizes(names: readonly string[]): Promise<number[]> {
    return treeSizes(names.map((name) => this.path(name)));
  }

  async remove(name: string, { behind = false } = {}): Promise<void> {
    const folder = this.#folder(name);
    const doomed = join(this.#paths.volumes, `${DOOMED}${randomUUID()}`);
    await this.#quotas.release(folder);
    // Nothing is freed by the removal of empty folders, and the disk takes its time for them: nobody waits for it.
    const isBehind = behind || isEmptySmall(join(folder, "_data"));
    try {
      // On this thread: another one takes longer to wake than this takes.
      renameSync(folder, doomed);
    } catch (error) {
      if (hasSystemCode(error, "ENOENT")) return;
      throw error;
    }
    if (isBehind) return await sweep(this.#context, [doomed]);
    await unmountBelow(doomed);
    await removeFolder(doomed);
  }

  async list(): Promise<string[]> {
    return (await namesIn(this.#paths.volumes)).filter((name) => !name.startsWith("."));
  }

  #folder(name: string): string {
    if (!/^[0-9A-Za-z][0-9A-Za-z_.-]*$/.test(name)) {
      throw new TypeError(`Name volume folder: "${name}" is no volume name`);
    }
    return join(this.#paths.volumes, name);
  }
}

/** Gives a folder to a user, unless an ordinary user's server has no such ID: the start of the container says so, in better words. */
async function giveIfThere(folder: string, { uid, gid }: FileOwner): Promise<void> {
  try {
    await chown(folder, uid, gid);
  } catch (error) {
    if (!hasSystemCode(error, "EINVAL")) throw error;
  }
}

/** Returns the host's IDs of a container's user; `undefined` where there is none, or none that could be: the start says why. */
async function userOwner(tree: string, user: FillUser | undefined): Promise<FileOwner | undefined> {
  if (user === undefined) return undefined;
  try {
    const { uid, gid } = await resolveUser(tree, user.name, []);
    if (user.idMaps === undefined) return { uid, gid };
    const [hostUid, hostGid] = [hostID(user.idMaps.uids, uid), hostID(user.idMaps.gids, gid)];
    return hostUid === undefined || hostGid === undefined ? undefined : { uid: hostUid, gid: hostGid };
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}
