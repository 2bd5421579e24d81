/**
 * Writing a container's OCI bundle: `config.json` and the files that are bound into its tree.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { ProcessOptions } from "../../../engine/ports/host_port.ts";
import { hostID } from "../../../engine/records/id_maps.ts";
import type { HostContext } from "../helpers/context.ts";
import { type ContainerPaths, containerPaths } from "../helpers/paths.ts";
import { appArmorProfiles, missingConfinement, securityModules } from "../security_modules.ts";
import { mayRaiseLimits, ownCapabilities } from "./capabilities.ts";
import { type CgroupView, ownsLimits } from "./mounts/cgroup_mounts.ts";
import { readFacts } from "../processes/facts.ts";
import { injectDevices } from "./cdi/inject_devices.ts";
import { HOOK_FOLDERS, hooksFor } from "./hooks.ts";
import { findInit } from "./init_program.ts";
import { linkMountTable } from "./mounts/mount_table.ts";
import { INIT_PATH } from "../../../engine/records/spec_parts.ts";
import { containerMounts, PAUSE_PATH } from "./mounts/mounts.ts";
import { isAlive } from "../helpers/proc.ts";
import { allowedLimits } from "./rlimits.ts";
import { buildSpec, specText } from "./runtime_spec.ts";
import { readSeccompProfile } from "./seccomp.ts";
import { placeSecrets } from "./tree/secret_files.ts";
import type { SeccompFilters } from "./seccomp_filters.ts";
import { SharedFolders } from "./mounts/shared_folders.ts";
import type { SpecSeccomp } from "./spec_types.ts";
import type { SubPaths } from "./mounts/sub_paths.ts";
import { checkKernelFolders } from "./tree/tree_check.ts";
import { markDockerTree } from "./tree/docker_mark.ts";
import { writeTreeFiles } from "./tree/tree_files.ts";
import { resolveUser } from "./user_lookup.ts";
import { ensureFolder, requireFolder } from "./tree/workdir.ts";
import { lentPaths } from "./lent_paths.ts";

/** Writable groups would be the container's own limits, or those of others. */
const NO_DELEGATION = "Give systemd its control groups: they are read-only, since it could lift its limits; " +
  "it needs a cgroup namespace of its own, and /sys/fs/cgroup mounted with nsdelegate";

/** Writes bundles. */
export interface Bundler {
  /** Writes the bundle of a container, in its folder. Lent mounts must last until the runtime has made its own. */
  write(
    options: ProcessOptions,
    container: ContainerPaths,
    cgroupsPath: string,
    lent: Lent,
  ): Promise<Written>;
}

/** The facts of a bundle that must be remembered. */
export interface Written {
  /** The rules for system calls. */
  rules?: SpecSeccomp;
  /** The paths that a small mount namespace of its runtime has to have. */
  lent?: readonly string[];
  /** Something is to be run when the container is deleted. */
  hooked: boolean;
  /** Something is to be run once it has started. */
  startHooked: boolean;
}

/** The parts of others that a container's mounts use. */
export interface Lent {
  subPaths: SubPaths;
  /** Its control groups. */
  groups: CgroupView;
  /** The other container's /dev/shm, where it is shared. */
  memory?: string;
}

/** Reads once what all bundles are made from. */
export async function openBundler(context: HostContext, filters: SeccompFilters): Promise<Bundler> {
  const [capabilities, seccomp, modules, profiles] = await Promise.all([
    ownCapabilities(),
    readSeccompProfile(),
    securityModules(),
    appArmorProfiles(),
  ]);
  for (const line of missingConfinement(modules, profiles)) context.log("warn", line);
  const appArmor = modules.apparmor ? profiles : [];
  const limits = await allowedLimits(mayRaiseLimits(capabilities));
  const sharedFolders = new SharedFolders([context.paths.volumes, context.paths.containers]);
  const volumePath = (name: string) => join(context.paths.volumes, name, "_data");
  const pidOf = (id: string) => Promise.resolve(livePid(containerPaths(context.paths, id), id));
  return {
    async write(options, container, cgroupsPath, lent) {
      const { record, rootfs, netns, userns } = options;
      const warn = (message: string) => context.log("warn", `Container ${record.id}: ${message}`);
      await checkKernelFolders(rootfs);
      const user = await resolveUser(rootfs, record.process.user, record.spec.groups);
      const root = hostOwner(record, { uid: 0, gid: 0 });
      const secrets = (options.secrets?.files ?? []).map((file) => ({ ...file, ...hostOwner(record, file) }));
      const files = {
        ...await writeTreeFiles(context, options, container, user, root),
        ...await placeSecrets(container.bundle, secrets, (place) => isMountedAt(record, place)),
      };
      // A folder of the host is as its owner made it.
      if (record.spec.rootfs === undefined || record.spec.rootfs.overlay) {
        await linkMountTable(rootfs, root);
        if (record.spec.defaults === "docker") await markDockerTree(rootfs, root);
      }
      const isPause = record.spec.infra === true && record.imageID === "";
      const init = record.spec.init || isPause ? await findInit(record.spec.initPath) : undefined;
      const mounts = await containerMounts(record, {
        files,
        volumePath,
        init: init === undefined ? undefined : { source: init, place: isPause ? PAUSE_PATH : INIT_PATH },
        imagePath: (index) => join(container.images, String(index), "merged"),
        changesPath: (index) => join(container.overlays, String(index)),
        owner: { host: hostOwner(record, user), container: user },
        subPaths: lent.subPaths,
        sharedAbove: (path) => sharedFolders.above(path, options.writtenFolders ?? []),
        rootfs,
        artifacts: options.artifacts,
        groups: lent.groups,
        sharedMemory: lent.memory,
      });
      if (record.systemd && !record.spec.privileged && lent.groups.unified && ownsLimits(record.spec, lent.groups)) {
        warn(NO_DELEGATION);
      }
      const { workdir } = record.process;
      // The runtime makes the places of mounts, with their parents.
      const isMade = mounts.some(({ destination }) => isWithin(workdir, destination) || isWithin(destination, workdir));
      if (!isMade) {
        // A folder that somebody names is one that he expects to be there, unless he says so.
        if (record.spec.workdir !== undefined && !record.spec.createWorkdir) {
          await requireFolder(rootfs, workdir, record.id);
        } else await ensureFolder(rootfs, workdir, hostOwner(record, user));
      }
      const sources = {
        rootfs,
        netns,
        userns,
        user,
        mounts,
        cgroupsPath,
        seccomp,
        appArmor,
        filters,
        capabilities,
        limits,
        withoutCgroups: lent.groups.isForeign,
        pidOf,
        warn,
      };
      const spec = await buildSpec(record, sources);
      await injectDevices(spec, record, { folders: context.deviceFolders, warn });
      const hooks = await hooksFor(context.hookFolders ?? HOOK_FOLDERS, {
        command: spec.process.args[0] ?? "",
        annotations: spec.annotations,
        hasBindMounts: record.mounts.length > 0,
      });
      for (const [stage, list] of Object.entries(hooks ?? {})) {
        spec.hooks = { ...spec.hooks, [stage]: [...spec.hooks?.[stage] ?? [], ...list] };
      }
      spec.process.env = withVariables(spec.process.env, options.secrets?.env ?? {});
      writeFileSync(container.config, specText(spec), { mode: 0o600 });
      const { poststart, poststop } = spec.hooks ?? {};
      return {
        rules: spec.linux.seccomp,
        lent: lentPaths(spec, context.paths),
        hooked: poststop !== undefined,
        startHooked: poststart !== undefined,
      };
    },
  };
}

/** Whether the caller has something mounted at a place or below it. */
function isMountedAt({ mounts }: ContainerRecord, place: string): boolean {
  return mounts.some(({ destination }) => isWithin(destination, place));
}

/** Whether a path is the folder or below it. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** An environment with some variables set. */
function withVariables(env: readonly string[], variables: Record<string, string>): string[] {
  const others = env.filter((entry) => !Object.hasOwn(variables, entry.split("=", 1)[0]));
  return [...others, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
}

/** Returns the host's IDs of a user of the container. Throws `EngineError("invalid")` for one that is not mapped. */
function hostOwner({ idMaps }: ContainerRecord, { uid, gid }: { uid: number; gid: number }) {
  if (idMaps === undefined) return { uid, gid };
  const [hostUid, hostGid] = [hostID(idMaps.uids, uid), hostID(idMaps.gids, gid)];
  if (hostUid !== undefined && hostGid !== undefined) return { uid: hostUid, gid: hostGid };
  throw new EngineError("invalid", `Map user ${uid}:${gid}: the container's user namespace does not have it`);
}

function livePid(container: ContainerPaths, id: string): number {
  const facts = readFacts(container.facts);
  if (facts !== undefined && isAlive(facts.container)) return facts.container.pid;
  throw new EngineError("state", `Join namespaces: container ${id} is not running`, {
    sentinel: "container state improper",
  });
}
