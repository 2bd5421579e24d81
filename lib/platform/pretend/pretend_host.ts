import { EngineError } from "../../engine/errors.ts";
import type { Host, Layers, Volumes } from "../../engine/ports/host_port.ts";
import type { HostInfo } from "../../engine/ports/host_facts.ts";
import type { Resources } from "../../engine/ports/resource_port.ts";
import type { ContainerRecord } from "../../engine/records/container_record.ts";
import { cleanLimits } from "../../engine/records/limits.ts";
import { pretendTrees } from "./pretend_files.ts";
import { PretendKernel } from "./pretend_kernel.ts";
import { pretendNetworks } from "./pretend_networks.ts";
import { pretendProcesses } from "./pretend_processes.ts";
import type { PretendProgram } from "./pretend_program.ts";
import { refuseAll } from "./refuse_all.ts";

const ROOT = "/pretend/trees/";

/**
 * A host that pretends: containers are functions of JavaScript, their files a map, their networks an entry in a book. It has no kernel, and
 * what it cannot pretend fails with `EngineError("unsupported")`.
 *
 * @param programOf Finds the program of a container by its image
 * @param platform The system that it says it is
 */
export function pretendHost(
  programOf: (record: ContainerRecord) => PretendProgram | undefined,
  platform: Pick<HostInfo, "os" | "arch">,
): Host {
  const kernel = new PretendKernel(programOf);
  const done = () => Promise.resolve();
  return {
    layers: pretendLayers(kernel),
    processes: pretendProcesses(kernel),
    networks: pretendNetworks(),
    volumes: pretendVolumes(),
    trees: pretendTrees((root) => kernel.filesOf(root.slice(ROOT.length)), (id) => kernel.mounts.has(id)),
    files: {
      ...{ exists: () => Promise.resolve(true), isFolder: () => Promise.resolve(true) },
      ...{ glob: () => Promise.resolve([]), makeFolder: done, writeText: done, removeHolding: done },
    },
    resources: pretendResources(),
    checkpoints: refuseAll("checkpoints"),
    localFiles: { find: (path) => Promise.reject(new EngineError("no_such_file", `"${path}": no such file`)) },
    peers: refuseAll("other engines"),
    sockets: refuseAll("sockets"),
    notifySockets: refuseAll("sockets"),
    git: refuseAll("Git repositories"),
    grpc: refuseAll("gRPC"),
    specs: { check: done, environment: () => ({}) },
    users: refuseAll("user namespaces"),
    platform,
    secrets: refuseAll("secrets of the host"),
    info: () => Promise.resolve(pretendInfo(platform)),
    bootID: () => Promise.resolve("pretend"),
    logSource: (id, driver) =>
      driver === "none" ? { driver: "none", path: "" } : { driver: "k8s-file", path: `/pretend/logs/${id}` },
    describe: ({ id }) => ({
      ...{
        folder: "",
        checkpoint: "",
        config: "",
        pidFile: "",
        conmonPidFile: "",
        resolvConf: "",
        hostname: "",
        hosts: "",
      },
      tree: { lower: [], upper: "", work: "", merged: ROOT + id },
      hidden: { maskedPaths: [], readonlyPaths: [] },
      capabilities: { effective: [], bounding: [] },
    }),
    close: () => {
      for (const { run } of kernel.tasks.values()) run.end(137);
      return Promise.resolve();
    },
  };
}

function pretendLayers(kernel: PretendKernel): Layers {
  const done = () => Promise.resolve();
  return {
    has: () => Promise.resolve(true),
    // The tar is read to its end, as its digest is made of it.
    apply: async (_, tar) => await tar.pipeTo(new WritableStream()),
    adopt: () => Promise.resolve(false),
    inspect: () => Promise.resolve({ since: 0 }),
    compare: () => Promise.resolve([]),
    sync: done,
    remove: done,
    list: () => Promise.resolve([]),
    create: (id) => Promise.resolve(void kernel.layers.add(id)),
    mount: (id) => {
      kernel.mounts.add(id);
      return Promise.resolve(ROOT + id);
    },
    mountImage: done,
    unmount: (id) => Promise.resolve(void kernel.mounts.delete(id)),
    destroy: (id) => {
      for (const known of [kernel.mounts, kernel.layers]) known.delete(id);
      kernel.dropFiles(id);
      return Promise.resolve();
    },
    containers: () => Promise.resolve([...kernel.layers]),
    usage: () => Promise.resolve(0),
    usages: (ids) => Promise.resolve(ids.map(() => 0)),
    requireRoom: done,
    readFile: (id, path) => Promise.resolve(kernel.filesOf(id).get(path)),
  };
}

function pretendVolumes(): Volumes {
  const names = new Set<string>();
  const done = () => Promise.resolve();
  return {
    create: (name) => {
      names.add(name);
      return Promise.resolve(`/pretend/volumes/${name}`);
    },
    path: (name) => `/pretend/volumes/${name}`,
    copyUp: done,
    mount: done,
    unmount: done,
    size: () => Promise.resolve(0),
    sizes: (wanted) => Promise.resolve(wanted.map(() => 0)),
    remove: (name) => Promise.resolve(void names.delete(name)),
    list: () => Promise.resolve([...names]),
  };
}

function pretendResources(): Resources {
  return {
    podGroup: (id, parent = "") => ({ parent, path: `${parent}/${id}` }),
    removeGroup: () => Promise.resolve(),
    usage: () => Promise.resolve(undefined),
    grant: ({ limits }) => Promise.resolve({ limits: cleanLimits(limits), blockDevices: {}, warnings: [] }),
    update: () => Promise.resolve(),
  };
}

/** Facts that a client shows: each of them says what this is. */
function pretendInfo({ os, arch }: Pick<HostInfo, "os" | "arch">): HostInfo {
  const program = { path: "", version: "pretend", package: "pretend" };
  return {
    os,
    arch,
    kernel: "pretend",
    hostname: "pretend",
    ...{ cpus: 1, memTotal: 0, memFree: 0, swapTotal: 0, swapFree: 0, uptime: 0 },
    cpuUsage: { user: 0, system: 0, idle: 100 },
    distribution: { distribution: "pretend", version: "0" },
    ...{ cgroupVersion: "v2", cgroupManager: "pretend", cgroupControllers: [] },
    conmon: program,
    runtime: { name: "pretend", ...program },
    networkBackend: { name: "pretend", ...program },
    drivers: { network: ["bridge"], log: ["k8s-file"] },
    dns: program,
    pasta: program,
    ...{ firewall: "", forwards: { ipv4: false } },
    securityOptions: {
      ...{ seccomp: false, seccompProfilePath: "", apparmor: false, selinux: false, rootless: false, capabilities: "" },
    },
    ...{ graphRoot: "", graphRootSize: { allocated: 0, used: 0 }, runRoot: "", volumePath: "", graphDriver: "pretend" },
    ...{ deviceFolders: [], backingFilesystem: "memory" },
  };
}
