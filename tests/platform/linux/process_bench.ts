import { randomBytes } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ContainerRecord,
  ContainerSpec,
  ExitStatus,
  ProcessConfig,
} from "../../../lib/engine/container_record.ts";
import type { Attachment, Frame } from "../../../lib/engine/host_port.ts";
import { containerPaths, type HostPaths, hostPaths } from "../../../lib/platform/linux/paths.ts";
import { type Nursery, openNursery } from "../../../lib/platform/linux/processes/nursery.ts";
import { openProcesses } from "../../../lib/platform/linux/processes/open_processes.ts";
import type { LinuxProcesses } from "../../../lib/platform/linux/processes/processes.ts";

export const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

const APPLETS =
  "sh cat true false sleep echo id ls grep head tr wc kill stty test dd sha256sum seq yes umask env touch";
const PASSWD = "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1001:Alice:/home/alice:/bin/sh\n";
const GROUP = "root:x:0:\nalice:x:1001:\nstaff:x:50:alice\nvideo:x:44:\n";

const NO_STREAMS = { stdin: false, stdout: true, stderr: true };

/** What a test says of its container; the rest is plain. */
export interface Wish {
  args: string[];
  process?: Partial<ProcessConfig>;
  spec?: Partial<ContainerSpec>;
  record?: Partial<ContainerRecord>;
}

/** What a container that has ended left. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Real containers on a root of their own, from a tree with busybox in it. */
export class Bench {
  readonly warnings: string[] = [];
  readonly paths: HostPaths;
  readonly #root: string;
  #nursery?: Nursery;
  processes!: LinuxProcesses;

  private constructor(root: string) {
    this.#root = root;
    this.paths = hostPaths(root, join(root, "run"));
  }

  static async open(runtime = "auto"): Promise<Bench> {
    const bench = new Bench(await mkdtemp(join(tmpdir(), "gantry-processes-")));
    const { paths } = bench;
    for (const folder of [paths.logs, paths.bundles, paths.exits, paths.runtime]) {
      await mkdir(folder, { recursive: true });
    }
    await bench.#makeTree();
    await bench.reopen(runtime);
    return bench;
  }

  /** A later server process on the same host. */
  async reopen(runtime = "auto"): Promise<void> {
    const log = (level: string, message: string) => void (level === "warn" && this.warnings.push(message));
    // The nursery of an earlier process ends with that.
    await this.#nursery?.close();
    const nursery = this.#nursery = await openNursery(this.paths, log);
    this.processes = await openProcesses({ paths: this.paths, runtime, log }, nursery);
  }

  /** Deletes whatever the test left. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of await this.processes.list()) await this.processes.delete(id);
    await this.#nursery?.close();
    await this.processes.close();
    await rm(this.#root, { recursive: true });
  }

  get rootfs(): string {
    return join(this.#root, "rootfs");
  }

  get root(): string {
    return this.#root;
  }

  record(wish: Wish): ContainerRecord {
    const id = randomBytes(32).toString("hex");
    const spec = { ...plainSpec(), ...wish.spec };
    const terminal = wish.process?.terminal ?? spec.terminal;
    return {
      id,
      name: `test-${id.slice(0, 8)}`,
      created: Date.now(),
      spec,
      imageID: "",
      imageName: "busybox",
      diffIDs: [],
      process: { args: wish.args, env: ["PATH=/bin"], workdir: "/", user: "", ...wish.process, terminal },
      stopSignal: 15,
      stopTimeout: 10,
      hostname: id.slice(0, 12),
      mounts: spec.mounts,
      ports: [],
      networks: {},
      log: { driver: "k8s-file", path: containerPaths(this.paths, id).log },
      state: {
        status: "created",
        pid: 0,
        conmonPid: 0,
        startedAt: 0,
        finishedAt: 0,
        exitCode: 0,
        oomKilled: false,
        error: "",
        restartCount: 0,
        stoppedByUser: false,
      },
      ...wish.record,
    };
  }

  async create(wish: Wish): Promise<ContainerRecord> {
    const record = this.record(wish);
    await this.processes.create({ record, rootfs: this.rootfs });
    return record;
  }

  /** Resolves when the container has ended; to be called before its start. */
  ended(id: string): Promise<ExitStatus> {
    return new Promise((resolve) => {
      const off = this.processes.onExit((ended, exit) => {
        if (ended !== id) return;
        off();
        resolve(exit);
      });
    });
  }

  /** A whole life: created, attached to, started, ended, deleted. */
  async run(wish: Wish): Promise<Outcome> {
    const record = await this.create(wish);
    const attachment = await this.processes.attach(record.id, NO_STREAMS);
    const ended = this.ended(record.id);
    await this.processes.start(record.id);
    const output = await collect(attachment);
    const { code } = await ended;
    await this.processes.delete(record.id);
    await this.processes.deleteLog(record.log);
    return { code, ...output };
  }

  async #makeTree(): Promise<void> {
    const { rootfs } = this;
    for (const folder of ["bin", "etc", "proc", "sys", "dev", "tmp", "run"]) {
      await mkdir(join(rootfs, folder), { recursive: true });
    }
    await copyFile("/bin/busybox", join(rootfs, "bin/busybox"));
    await chmod(join(rootfs, "bin/busybox"), 0o755);
    for (const name of APPLETS.split(" ")) await symlink("busybox", join(rootfs, "bin", name));
    await writeFile(join(rootfs, "etc/passwd"), PASSWD);
    await writeFile(join(rootfs, "etc/group"), GROUP);
    await writeFile(join(rootfs, "bin/plain"), "#!/bin/sh\ntrue\n", { mode: 0o644 });
    await chmod(rootfs, 0o755);
  }
}

/** Reads an attachment to its end. */
export async function collect(attachment: Attachment): Promise<{ stdout: string; stderr: string }> {
  const texts = { stdout: "", stderr: "" };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, data } of attachment.output) {
    texts[stream] += decoders[stream].decode(data, { stream: true });
  }
  return texts;
}

/** Reads an attachment until the text has come; what follows stays to be read. */
export async function readUntil(reader: ReadableStreamDefaultReader<Frame>, text: string): Promise<string> {
  let seen = "";
  while (!seen.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`Expected "${text}" before the end of: ${seen}`);
    seen += new TextDecoder().decode(value.data);
  }
  return seen;
}

function plainSpec(): ContainerSpec {
  return {
    image: "busybox",
    env: {},
    groups: [],
    terminal: false,
    stdin: false,
    labels: {},
    annotations: {},
    remove: false,
    mounts: [],
    capAdd: [],
    capDrop: [],
    privileged: false,
    readOnly: false,
    readWriteTmpfs: true,
    noNewPrivileges: false,
    masks: [],
    unmasks: [],
    init: false,
    namespaces: {
      network: { mode: "none" },
      pid: { mode: "private" },
      ipc: { mode: "private" },
      uts: { mode: "private" },
      cgroup: { mode: "private" },
    },
    networks: {},
    ports: [],
    publishImagePorts: false,
    exposed: [],
    dnsServers: [],
    dnsSearch: [],
    dnsOptions: [],
    hosts: [],
    noHosts: false,
    noResolvConf: false,
    resources: {},
    rlimits: [],
    sysctl: {},
    logOptions: {},
    createCommand: [],
  };
}
