/**
 * The Linux host: containers on this machine's kernel, through conmon and an OCI runtime, overlay and netavark.
 *
 * @module
 */
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { EngineError } from "../../engine/errors.ts";
import type { Host } from "../../engine/ports/host_port.ts";
import { openCheckpoints } from "./checkpoints/checkpoints.ts";
import { rememberedFacts } from "./container_facts.ts";
import type { HostContext } from "./helpers/context.ts";
import { nodeGRPC } from "../http/grpc/grpc.ts";
import { openGit } from "./git_repositories.ts";
import { hostFiles } from "./files.ts";
import { HOST_PLATFORM, hostInfoReader } from "./info.ts";
import { openLayers } from "./storage/layers.ts";
import { localFiles } from "./local_files.ts";
import { localSockets } from "./local_sockets.ts";
import { hostPeers } from "./peers.ts";
import { openNetworks } from "./networks/networks.ts";
import { hostPaths } from "./helpers/paths.ts";
import { ownCapabilities } from "./bundle/capabilities.ts";
import { logSource } from "./logs/log_sources.ts";
import { notifySockets } from "./processes/notify_sockets.ts";
import { openNursery } from "./processes/nursery/nursery.ts";
import { NurserySockets } from "./processes/nursery/nursery_sockets.ts";
import { openProcesses } from "./processes/open_processes.ts";
import { openResources } from "./resources/resources.ts";
import { openTrees } from "./trees/trees.ts";
import { openSpecs } from "./bundle/spec_check.ts";
import { namespaceObstacle, readNamespaceFacts } from "./rootless/obstacles.ts";
import { outerUser } from "./rootless/outer_user.ts";
import { openUnitManager } from "./unit_manager.ts";
import { openUserNamespaces } from "./user_namespaces.ts";
import { Sweeper } from "./helpers/sweeper.ts";
import { makeFolder } from "./helpers/tree.ts";
import { quadletShelf } from "./quadlet_shelf.ts";
import { hostSecrets } from "./secrets/secret_vault.ts";
import { openVolumes } from "./storage/volumes.ts";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** How a host is opened. */
export interface HostOptions {
  /** The folder for what lasts. */
  root: string;
  /** The folder for what a reboot clears. */
  runroot: string;
  /** `auto` (the first that works here), `crun`, `runc`, or a path. */
  runtime?: string;
  /** Folders with hooks (oci-hooks(5)), in place of the usual ones. */
  hookFolders?: readonly string[];
  /** Folders with files of the Container Device Interface, in place of `/etc/cdi` and `/var/run/cdi`; a later one wins. */
  deviceFolders?: readonly string[];
  /** The folder of quadlets; `quadlets` in the root by default. */
  quadletFolder?: string;
  log?: HostContext["log"];
}

/** Opens this machine as a host. Throws `EngineError("unsupported")` where it cannot be one. */
export async function openHost(options: HostOptions): Promise<Host> {
  if (process.platform !== "linux") throw new EngineError("unsupported", "Open host: containers need Linux");
  if (process.getuid?.() !== 0) throw new EngineError("unsupported", await whyNotRoot());
  const paths = hostPaths(resolve(options.root), resolve(options.runroot));
  for (const folder of [paths.root, paths.runroot]) {
    await mkdir(folder, { recursive: true });
    // Trees of containers lie below: their setuid programs must not be in reach of the host's users.
    await chmod(folder, 0o711);
  }
  const folders = [paths.layers, paths.containers, paths.volumes, paths.logs];
  const passing = [paths.netns, paths.networks, paths.bundles, paths.exits, paths.runtime, paths.execs];
  const log = options.log ?? (() => {});
  for (const folder of [...folders, ...passing]) {
    await makeFolder(folder, { mode: 0o700, isTop: folder === paths.containers, log });
  }
  // Each container's own folder is closed again; those with users of their own open it to these.
  await chmod(paths.containers, 0o711);
  const context: HostContext = {
    paths,
    runtime: options.runtime ?? "auto",
    hookFolders: options.hookFolders,
    deviceFolders: options.deviceFolders,
    sweeper: new Sweeper(log),
    log,
  };
  const nursery = await openNursery(paths, context.log);
  const carriers = { nursery, sockets: new NurserySockets(paths.runroot), runroot: paths.runroot };
  const [layers, processes, networks, capabilities] = await Promise.all([
    openLayers(context),
    openProcesses(context, carriers),
    openNetworks(context, nursery),
    ownCapabilities(),
  ]);
  const volumes = await openVolumes(context, layers);
  const resources = await openResources(context, processes);
  const checkpoints = await openCheckpoints(context, processes);
  const units = await openUnitManager();
  return {
    layers,
    processes,
    networks,
    volumes,
    trees: openTrees(paths, layers, carriers),
    files: hostFiles,
    resources,
    checkpoints,
    localFiles: localFiles([paths.root, paths.runroot], join(paths.root, "quadlets")),
    peers: hostPeers(),
    sockets: localSockets(paths),
    git: await openGit(paths),
    grpc: nodeGRPC,
    users: openUserNamespaces(paths),
    secrets: hostSecrets(),
    quadlets: quadletShelf(resolve(options.quadletFolder ?? join(paths.root, "quadlets"))),
    notifySockets: notifySockets(paths),
    ...units && { units },
    specs: openSpecs(processes.runtimes, capabilities),
    platform: HOST_PLATFORM,
    info: hostInfoReader(context, processes),
    bootID: () => readFile(BOOT_ID, "utf8").then((text) => text.trim(), () => undefined),
    logSource: (id, driver) => logSource(paths, id, driver),
    describe: rememberedFacts(paths, capabilities),
    async close() {
      await context.sweeper?.close();
      await networks.close();
      // It is in cgroups that go next.
      await nursery.close();
      await processes.close();
    },
  };
}

/** The reason why this user's process cannot be a host as it is. */
async function whyNotRoot(): Promise<string> {
  const obstacle = namespaceObstacle(await readNamespaceFacts(outerUser()));
  const needed = "Open host: containers need root, or a user namespace in which this user is root";
  return obstacle === undefined ? `${needed}: start this program with "gantry unshare"` : `${needed}: ${obstacle}`;
}
