/**
 * The servers that a bench compares: Gantry, started as users start it, Podman's service and Docker's daemon. They get the same image
 * from the same loopback registry and are driven over their Unix sockets by the same HTTP client.
 *
 * @module
 */
import { makeProgram } from "../package/program_files.ts";
import { UnixClient } from "./servers/unix_client.ts";

/** A server under measurement. */
export interface Peer extends AsyncDisposable {
  name: string;
  pid: number;
  /** The path of the socket that it listens on. */
  socket: string;
  /** Sends a request and reads the answer whole; throws when the status is not below 400. */
  call(method: string, path: string, body?: unknown): Promise<string>;
  /** As `call`, with a path of either tree: `/libpod/…` is of the native one, the others are of Docker's. */
  callPath(method: string, path: string, body?: unknown): Promise<string>;
  /** Runs the peer's own program on its folders, for what its API does not have. Throws when it fails. */
  command(...args: string[]): Promise<void>;
}

const containersConf = `[containers]
default_ulimits = ["nofile=1024:1024","nproc=1024:1024"]
http_proxy = false

[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
`;

/** Starts the program that its packages for Debian and its image ship on scratch folders under `folder`. */
export async function startGantry(folder: string, registriesConf: string): Promise<Peer> {
  const socket = `${folder}/gantry.sock`;
  for (const [name, text] of Object.entries(await makeProgram())) await Deno.writeTextFile(`${folder}/${name}`, text);
  return await start("gantry", socket, [Deno.execPath(), "run", "-A", "--quiet", `${folder}/gantry.mjs`], [
    "serve",
    "--no-setup",
    `--listen=unix://${socket}`,
    `--root=${folder}/gantry-root`,
    `--runroot=${folder}/gantry-run`,
    `--registries-conf=${registriesConf}`,
  ], {});
}

/** Starts `podman system service` on scratch folders under `folder`, with the runtime that Gantry prefers. */
export async function startPodman(folder: string, registriesConf: string): Promise<Peer> {
  const socket = `${folder}/podman.sock`;
  await Deno.writeTextFile(`${folder}/containers.conf`, containersConf);
  const program = [
    "podman",
    "--root",
    `${folder}/podman-root`,
    "--runroot",
    `${folder}/podman-run`,
    "--tmpdir",
    `${folder}/podman-tmp`,
    "--network-config-dir",
    `${folder}/podman-nets`,
  ];
  return await start("podman", socket, program, ["system", "service", "--time=0", `unix://${socket}`], {
    CONTAINERS_CONF: `${folder}/containers.conf`,
    CONTAINERS_REGISTRIES_CONF: registriesConf,
  }, APART);
}

/**
 * Starts Docker's daemon on scratch folders under `folder`, for its classic builder; `undefined` where there is no `dockerd`. Its
 * network is one of its own, in which it may make what it wants: images come as archives.
 */
export async function startDocker(folder: string): Promise<Peer | undefined> {
  const { success } = await new Deno.Command("sh", { args: ["-c", "command -v dockerd containerd"] }).output();
  if (!success) return undefined;
  const socket = `${folder}/docker.sock`;
  return await start(
    "docker",
    socket,
    ["dockerd"],
    [
      `--host=unix://${socket}`,
      `--data-root=${folder}/docker-root`,
      `--exec-root=${folder}/docker-run`,
      `--pidfile=${folder}/docker.pid`,
    ],
    {},
    ["unshare", "--mount", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
  );
}

/** Starts a server of `node:http` that does nothing, under the runtime of Gantry. */
export async function startBare(folder: string): Promise<Peer> {
  const program = [
    Deno.execPath(),
    "run",
    "-A",
    "--quiet",
    new URL("servers/bare_server.ts", import.meta.url).pathname,
  ];
  const socket = `${folder}/bare.sock`;
  return await start("node:http", socket, program, [socket], {});
}

/** Has a peer load an image that another one saves. */
export async function handImage(from: Peer, to: Peer, name: string): Promise<void> {
  const script = 'curl -sS --fail --unix-socket "$1" "http://d/v1.41/images/$3/get" | ' +
    'curl -sS --fail --unix-socket "$2" -X POST -T - -H "Content-Type: application/x-tar" http://d/v1.41/images/load';
  const args = ["-c", script, "sh", from.socket, to.socket, name];
  const { success, stderr } = await new Deno.Command("sh", { args }).output();
  if (!success) throw new Error(`${to.name}: load of ${name}: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Runs a program with a `/run/containers` of its own: Podman keeps the names of all networks there, and with the remains of another
 * run its DNS server answers nobody. crun refuses the second version of control groups beside the first.
 */
const APART = [
  "unshare",
  "--mount",
  "sh",
  "-c",
  "mkdir -p /run/containers && mount -t tmpfs tmpfs /run/containers || exit 1; " +
  'if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi; exec "$@"',
  "sh",
];

async function start(
  name: string,
  socket: string,
  [program, ...before]: string[],
  args: string[],
  env: Record<string, string>,
  /** A program, with its arguments, that starts the server; the commands run without it. */
  starter: readonly string[] = [],
): Promise<Peer> {
  const [first, ...words] = [...starter, program, ...before, ...args];
  const child = new Deno.Command(first, {
    args: words,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const client = new UnixClient(socket);
  const callPath = async (method: string, path: string, body?: unknown) => {
    const version = path.startsWith("/libpod/") ? "v4.3.1" : "v1.41";
    const { status, text } = await client.call(method, `/${version}${path}`, body);
    if (status >= 400) throw new Error(`${name}: ${method} ${path}: ${status} ${text}`);
    return text;
  };
  const ping = name === "docker" ? "/_ping" : "/libpod/_ping";
  const call: Peer["call"] = (method, path, body) => callPath(method, `/libpod${path}`, body);
  for (let tries = 0;; tries++) {
    try {
      await callPath("GET", ping);
      break;
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    name,
    pid: child.pid,
    socket,
    call,
    callPath,
    async command(...args) {
      const { success, stderr } = await new Deno.Command(program, { args: [...before, ...args], env }).output();
      if (!success) throw new Error(`${name}: ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      client.close();
    },
  };
}

/** Has a peer pull an image from the registry of the bench. */
export async function pullImage(peer: Peer, name: string): Promise<void> {
  const report = await peer.call(
    "POST",
    `/images/pull?reference=${encodeURIComponent(name)}&tlsVerify=false&quiet=true`,
  );
  const failed = report.split("\n").find((line) => line.includes('"error"'));
  if (failed) throw new Error(`${peer.name}: pull of ${name}: ${failed}`);
}
