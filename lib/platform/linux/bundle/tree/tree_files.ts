/**
 * The files of the host that are bound into a container's tree.
 *
 * @module
 */
import { chmodSync, chownSync, constants, writeFileSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import type { ProcessOptions } from "../../../../engine/ports/host_port.ts";
import { hostTextSync, readTextBounded } from "../../helpers/bounded_read.ts";
import type { HostContext } from "../../helpers/context.ts";
import { type ContainerPaths, containerPaths } from "../../helpers/paths.ts";
import { readInside } from "../../helpers/safe_path.ts";
import type { HostFile } from "../mounts/bind_mounts.ts";
import { copyWithLines } from "./account_file.ts";
import { containerEnvText, hostsText, resolvConfText } from "./etc_files.ts";
import { missingGroup, missingUsers } from "./identity_files.ts";
import { joinHosts } from "./shared_hosts.ts";
import type { RuntimeSpec } from "../spec_types.ts";
import { treeZone } from "./time_zone.ts";
import type { ResolvedUser } from "../user_lookup.ts";

/** The most of an image's own /etc/hosts. */
const HOSTS_LIMIT = 1024 * 1024;
/** Files that the folders which software makes its root (`chrootFolders`) get as well. */
const SHARED_FILES = ["/etc/hosts", "/etc/hostname", "/etc/resolv.conf"];

/** The owner of the files. */
export interface Owner {
  uid: number;
  gid: number;
}

/** Writes them, and gives their paths by the place each has in the container. */
export async function writeTreeFiles(
  context: HostContext,
  options: ProcessOptions,
  container: ContainerPaths,
  user: ResolvedUser,
  owner: Owner = { uid: 0, gid: 0 },
): Promise<Record<string, HostFile>> {
  const { record, network, rootfs } = options;
  const { spec } = record;
  const files: Record<string, HostFile> = {};
  // Of the runroot, which lies in memory: at once.
  const add = (destination: string, path: string, content: string | Uint8Array) => {
    writeFileSync(path, content);
    addWritten(destination, path);
  };
  const addWritten = (destination: string, path: string) => {
    files[destination] = { source: path, kind: "copy" };
    // Whatever the server's umask: the container's users read it.
    chmodSync(path, 0o644);
    if (owner.uid !== 0 || owner.gid !== 0) chownSync(path, owner.uid, owner.gid);
  };
  const joined = spec.namespaces.network.mode === "container" ? spec.namespaces.network.value : undefined;
  const other = joined === undefined ? undefined : containerPaths(context.paths, joined);
  if (!hasFolderAtRun(record)) add("/run/.containerenv", container.containerEnv, containerEnvText(record));
  if (!spec.noHostname) add("/etc/hostname", container.hostname, `${record.hostname}\n`);
  // Containers that share a network share the files that describe it, later changes included.
  if (other !== undefined) {
    const shared = await boundFiles(other.config);
    const take = (destination: string) => {
      const source = shared.get(destination);
      if (source === undefined) return undefined;
      // A file of the host that the other container's caller mounts there was not asked for by this one's.
      const isOurs = source.startsWith(`${context.paths.bundles}/`);
      files[destination] = { source, kind: isOurs ? "copy" : "fixed" };
      return isOurs ? source : undefined;
    };
    if (!spec.noHosts) {
      const file = take("/etc/hosts");
      if (file !== undefined) await joinHosts(file, container.bundle, record);
    }
    if (!spec.noResolvConf) take("/etc/resolv.conf");
  } else {
    if (!spec.noHosts) {
      add("/etc/hosts", container.hosts, hostsText(record, network, await baseHosts(spec.baseHosts, rootfs)));
    }
    if (!spec.noResolvConf) add("/etc/resolv.conf", container.resolvConf, resolvConfText(record, network));
  }
  const accounts = {
    "/etc/passwd": await missingUsers(record, user, rootfs),
    "/etc/group": missingGroup(record, user),
  };
  for (const path of ["/etc/passwd", "/etc/group"] as const) {
    if (accounts[path] === "") continue;
    const copy = join(container.bundle, basename(path));
    await copyWithLines(rootfs, path, copy, accounts[path]);
    addWritten(path, copy);
  }
  const zone = await treeZone(spec, rootfs, owner);
  if (zone !== undefined) add("/etc/localtime", join(container.bundle, "localtime"), zone);
  for (const folder of spec.chrootFolders ?? []) {
    for (const name of SHARED_FILES) if (files[name] !== undefined) files[join(folder, name)] = files[name];
  }
  return files;
}

/** Whether /run is a folder that outlives the container: the runtime would leave the place of a file in it. */
function hasFolderAtRun({ mounts }: ContainerRecord): boolean {
  return mounts.some(({ destination, type }) => destination === "/run" && type !== "tmpfs");
}

/** The text of the file that /etc/hosts begins with. */
async function baseHosts(base: string | undefined, rootfs: string): Promise<string> {
  if (base === undefined) return hostTextSync("/etc/hosts");
  if (base === "none") return "";
  // Somebody else's, on whatever file system: others do not wait for it.
  if (base !== "image") return await hostText(base);
  return new TextDecoder().decode(await readInside(rootfs, "/etc/hosts", HOSTS_LIMIT) ?? new Uint8Array());
}

/** A file of the host's, links followed; empty where there is none, or where it is a pipe, a device or a folder. */
async function hostText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return "";
  try {
    return await readTextBounded(file, HOSTS_LIMIT).catch(() => undefined) ?? "";
  } finally {
    await file.close();
  }
}

/** Returns the files that another container has bound into its tree, by place: its own, those of one it joins itself, or none. */
async function boundFiles(config: string): Promise<Map<string, string>> {
  // Written by the bundler.
  const { mounts }: Pick<RuntimeSpec, "mounts"> = JSON.parse(await readFile(config, "utf8"));
  return new Map(mounts.flatMap(({ destination, type, source }) => {
    return type === "bind" && source !== undefined ? [[destination, source] as const] : [];
  }));
}
