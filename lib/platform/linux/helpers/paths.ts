/**
 * Every path the host uses, as a function of root, runroot and a container's ID. Cleaning up is a function of these.
 *
 * @module
 */
import { join } from "node:path";

/** The folders of one host. `root` lasts; `runroot` may be lost at a reboot. All are absolute. */
export interface HostPaths {
  readonly root: string;
  readonly runroot: string;
  /** Unpacked layers (`root/layers`); what is in it is the business of `layers.ts`. */
  readonly layers: string;
  /** Writable layers and mount points (`root/containers/<id>`); `layers.ts` again. */
  readonly containers: string;
  /** Named volumes (`root/volumes/<name>`). */
  readonly volumes: string;
  /** Log files (`root/logs/<id>.log`). */
  readonly logs: string;
  /** Network namespaces, one bind-mounted file per container (`runroot/netns/netns-<id>`). */
  readonly netns: string;
  /** User namespaces, likewise (`runroot/userns/<id>`). */
  readonly userns: string;
  /** Mounts that other mount namespaces lend for a moment (`runroot/shared/<id>`). */
  readonly shared: string;
  /** State of netavark and aardvark-dns (`runroot/networks`). */
  readonly networks: string;
  /** Published ports of containers to which no rule of the firewall leads (`runroot/forwards/<id>`), and the process that has them. */
  readonly forwards: string;
  /** Notes of the programs that carry networks of containers (`runroot/user-networks/<id>`). */
  readonly userNetworks: string;
  /** OCI bundles, one folder per container (`runroot/bundles/<id>`). */
  readonly bundles: string;
  /** Exit files, named by container ID; written by conmon (`runroot/exits/<id>`). */
  readonly exits: string;
  /** The runtime's own state (`runc --root`). */
  readonly runtime: string;
  /** Sockets of sd_notify(3), one folder each (`runroot/notify/<name>`). */
  readonly notify: string;
  /** Exec sessions, one folder each (`runroot/execs/<id>`). */
  readonly execs: string;
}

/** The paths of one container's process. */
export interface ContainerPaths {
  /** The bundle: everything below but the exit file and the log is in it. */
  readonly bundle: string;
  readonly config: string;
  readonly pidFile: string;
  readonly conmonPidFile: string;
  /** conmon's FIFO for window sizes. */
  readonly control: string;
  /** conmon's attach socket. */
  readonly attach: string;
  /** conmon makes it when the kernel killed the container for memory. */
  readonly oom: string;
  /** Facts kept for a later server process: pids with their start times, cgroup. */
  readonly facts: string;
  /** An empty file made just before the process was started. */
  readonly started: string;
  /** Files bound over those of the image. */
  readonly hosts: string;
  readonly hostname: string;
  readonly resolvConf: string;
  readonly containerEnv: string;
  readonly exit: string;
  /** The container's writable layer and mount point. */
  readonly storage: string;
  /** Trees of images that are mounted in the container, numbered as its mounts are. */
  readonly images: string;
  /** Changes of overlay volumes, numbered likewise. */
  readonly overlays: string;
  readonly netns: string;
  readonly userns: string;
  readonly shared: string;
  /** Parts of volumes and images, shown for a moment likewise. */
  readonly parts: string;
  /** The log file of driver `k8s-file`. */
  readonly log: string;
  /** The folder of a log that the caller names, shown for as long as there is a supervisor. */
  readonly logPlace: string;
}

/** The paths of one exec session. */
export interface ExecPaths {
  readonly folder: string;
  /** The OCI process object. */
  readonly process: string;
  readonly pidFile: string;
  /** Holds one file with the exit code, named by the container's ID, once the process has ended. */
  readonly exits: string;
  /** The runtime's log of a process that it cannot run. */
  readonly log: string;
  /** The facts about its supervisor and the process itself, for a later server process. */
  readonly facts: string;
  /** conmon's FIFO for window sizes. */
  readonly control: string;
}

/** The prefix of the names of network namespaces, here as elsewhere. */
const NETNS = "netns-";

/** The container a network namespace is named after. */
export function namespaceOwner(name: string): string {
  return name.startsWith(NETNS) ? name.slice(NETNS.length) : name;
}

/** Gives a host's folders. */
export function hostPaths(root: string, runroot: string): HostPaths {
  return {
    root,
    runroot,
    layers: join(root, "layers"),
    containers: join(root, "containers"),
    volumes: join(root, "volumes"),
    logs: join(root, "logs"),
    netns: join(runroot, "netns"),
    userns: join(runroot, "userns"),
    shared: join(runroot, "shared"),
    networks: join(runroot, "networks"),
    forwards: join(runroot, "forwards"),
    userNetworks: join(runroot, "user-networks"),
    bundles: join(runroot, "bundles"),
    exits: join(runroot, "exits"),
    runtime: join(runroot, "runtime"),
    notify: join(runroot, "notify"),
    execs: join(runroot, "execs"),
  };
}

function requirePlainName(name: string, task: string, kind: string): void {
  if (!/^[0-9A-Za-z][0-9A-Za-z_.-]*$/.test(name)) throw new TypeError(`${task}: "${name}" is not a ${kind}`);
}

/** The folder of a socket of sd_notify(3). Throws `TypeError` unless `name` is a plain name. */
export function notifyFolder(paths: HostPaths, name: string): string {
  requirePlainName(name, "Name the folder of a socket", "name");
  return join(paths.notify, name);
}

/** Gives one container's paths. Throws `TypeError` unless `id` is a plain name, so that no path can leave its folder. */
export function containerPaths(paths: HostPaths, id: string): ContainerPaths {
  requirePlainName(id, "Name container paths", "container ID");
  // Names of one plain part below folders in their shortest form: asked for at every turn, there is nothing to normalise.
  const bundle = `${paths.bundles}/${id}`;
  return {
    bundle,
    config: `${bundle}/config.json`,
    pidFile: `${bundle}/pid`,
    conmonPidFile: `${bundle}/conmon.pid`,
    control: `${bundle}/ctl`,
    attach: `${bundle}/attach`,
    oom: `${bundle}/oom`,
    facts: `${bundle}/facts.json`,
    started: `${bundle}/started`,
    hosts: `${bundle}/hosts`,
    hostname: `${bundle}/hostname`,
    resolvConf: `${bundle}/resolv.conf`,
    containerEnv: `${bundle}/containerenv`,
    exit: `${paths.exits}/${id}`,
    storage: `${paths.containers}/${id}`,
    images: `${paths.containers}/${id}/images`,
    overlays: `${paths.containers}/${id}/overlays`,
    netns: `${paths.netns}/${NETNS}${id}`,
    userns: `${paths.userns}/${id}`,
    shared: `${paths.shared}/${id}`,
    parts: `${paths.shared}/${id}.parts`,
    log: `${paths.logs}/${id}.log`,
    logPlace: `${paths.shared}/${id}.log`,
  };
}

/** Gives one exec session's paths. Throws `TypeError` unless `id` is a plain name. */
export function execPaths(paths: HostPaths, id: string): ExecPaths {
  if (!/^[0-9A-Za-z]+$/.test(id)) throw new TypeError(`Name exec paths: "${id}" is not a session ID`);
  const folder = `${paths.execs}/${id}`;
  return {
    folder,
    process: `${folder}/process.json`,
    pidFile: `${folder}/pid`,
    exits: `${folder}/exit`,
    log: `${folder}/log`,
    facts: `${folder}/facts.json`,
    control: `${folder}/ctl`,
  };
}

/** Returns the folder of a container's secrets, while it has a process: a mount in its bundle. */
export function secretsFolder(bundle: string): string {
  return join(bundle, "secrets");
}

/** The folder of a container's checkpoint, which goes with the container. */
export function checkpointFolder(paths: HostPaths, containerID: string): string {
  return join(containerPaths(paths, containerID).storage, "criu");
}
