/**
 * Installs the Debian packages that running containers (and, with `--test` and `--long`, the tests) need. Looks first and does nothing
 * when nothing is missing.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { installCommands, missingOf as missingNeeds } from "../lib/platform/doctor/diagnose.ts";
import { NEEDS } from "../lib/platform/doctor/needs.ts";
import { parseOSRelease } from "../lib/platform/linux/os_release.ts";
import { isInstalled } from "../lib/platform/linux/helpers/programs.ts";
import {
  BUILDX_PLUGIN,
  COMPOSE_PLUGIN,
  installBuildx,
  installCompose,
  installLaterPodman,
  LATER_QUADLET,
} from "./later_debian/client_programs.ts";
import { DEBIAN, MACHINE, type Package, RUN, TEST } from "./setup/packages.ts";

/** Choices of {@linkcode setup}. */
export interface SetupOptions {
  /** Install the tools of the tests as well. */
  test?: boolean;
  /** Install the clients of long runs too. */
  long?: boolean;
  /** Install only what a virtual machine for tests is made with. */
  machine?: boolean;
  /** Install only what a folder with another Debian is made with. */
  debian?: boolean;
  /** Prints a line for the user; to standard error by default. */
  log?: (line: string) => void;
}

/** The result of {@linkcode setup}. */
export interface SetupResult {
  /** Something was to be installed and could not be. */
  failed: boolean;
  /** The tools that are still missing. */
  missing: string[];
}

/** Installs what is missing, where this is Linux with apt and root. Anywhere else it says what is left out, and why. */
export async function setup(options: SetupOptions = {}): Promise<SetupResult> {
  const log = options.log ?? ((line) => console.error(line));
  if (Deno.build.os !== "linux") {
    log(`setup: containers need Linux, this is ${Deno.build.os}: the host part is left out`);
    return { failed: false, missing: [] };
  }
  const wanted = options.debian ? DEBIAN : options.machine ? MACHINE : options.test ? [...RUN, ...TEST] : RUN;
  const missing = await missingOf(wanted);
  const docker = options.test === true && !await isInstalled("docker");
  // The virtual machine and the later Debian have no network: they get the plugins of this machine.
  const needsPlugins = options.test === true || options.machine === true || options.long === true;
  const compose = needsPlugins && !await isInstalled(COMPOSE_PLUGIN);
  const buildx = needsPlugins && !await isInstalled(BUILDX_PLUGIN);
  const later = options.long === true && !await isInstalled(LATER_QUADLET);
  if (missing.length === 0 && !docker && !compose && !buildx && !later) return { failed: false, missing };
  const clients = [
    ...docker ? ["docker (the client)"] : [],
    ...compose ? ["docker compose 2.40"] : [],
    ...buildx ? ["docker buildx 0.29"] : [],
    ...later ? ["podman 5.8 (60 MB)"] : [],
  ];
  const all = [...missing, ...clients].join(", ");
  const hindrance = await findHindrance();
  if (hindrance !== undefined) {
    log(`setup: missing: ${all}; ${hindrance}: what needs them is left out`);
    for (const line of await listCommands()) log(line);
    return { failed: false, missing };
  }
  log(`setup: installing ${all}`);
  await apt(["update"], log);
  if (missing.length > 0) await withoutStartingServices(() => install(missing, log));
  if (docker) await installDockerClient(log);
  if (compose) await installCompose(log);
  if (buildx) await installBuildx(log);
  if (later) await installLaterPodman(log);
  const left = await missingOf(wanted);
  log(left.length === 0 ? "setup: done" : `setup: could not install ${left.join(", ")}`);
  return { failed: left.length > 0, missing: left };
}

/** Returns why {@linkcode setup} cannot install here; `undefined` where it can. */
export async function findHindrance(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return `this is ${Deno.build.os}`;
  if (Deno.uid() !== 0) return "installing needs root";
  return await isInstalled("apt-get") ? undefined : "there is no apt-get here";
}

/** The commands that would install what containers need here, by this distribution's own names. Tools of tests are Debian's only. */
async function listCommands(): Promise<string[]> {
  const there = await Promise.all(NEEDS.map(async ({ probe }) => await isInstalled(probe) ? [probe] : []));
  const release = await Deno.readTextFile("/etc/os-release").catch(() => "");
  return describeCommands(release, new Set(there.flat()));
}

/** The lines of {@linkcode setup} for a machine of this os-release(5) that has these probes of the needs. */
export function describeCommands(release: string, found: ReadonlySet<string>): string[] {
  const commands = installCommands({ distribution: parseOSRelease(release) }, missingNeeds(found));
  return commands.map((command) => `setup: containers would need: ${command}`);
}

async function missingOf(packages: readonly Package[]): Promise<string[]> {
  const there = await Promise.all(packages.map(({ probe }) => isInstalled(probe)));
  return packages.filter((_, index) => !there[index]).map(({ name }) => name);
}

/** All at once; when one of them cannot be had, the others one by one. */
async function install(packages: readonly string[], log: (line: string) => void): Promise<void> {
  const flags = ["install", "--yes", "--no-install-recommends"];
  if (await apt([...flags, ...packages], log) || packages.length === 1) return;
  for (const name of packages) await apt([...flags, name], log);
}

async function apt(args: readonly string[], log: (line: string) => void): Promise<boolean> {
  const command = new Deno.Command("apt-get", {
    args: ["--quiet", "--option", "DPkg::Lock::Timeout=120", ...args],
    env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stderr } = await command.output();
  if (!success) {
    log(`setup: apt-get ${args[0]}: ${new TextDecoder().decode(stderr).trim().split("\n").slice(-5).join("; ")}`);
  }
  return success;
}

/** Packages like docker-registry start a service as they are installed. The tests start their own, on ports of their own. */
async function withoutStartingServices(run: () => Promise<void>): Promise<void> {
  const policy = "/usr/sbin/policy-rc.d";
  const mine = await Deno.writeTextFile(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755, createNew: true }).then(
    () => true,
    () => false,
  );
  try {
    await run();
  } finally {
    if (mine) await Deno.remove(policy);
  }
}

/** Debian 12 has the client only in one package with the engine, which is not wanted: the program is taken out of it. */
async function installDockerClient(log: (line: string) => void): Promise<void> {
  if (await apt(["install", "--yes", "--no-install-recommends", "--simulate", "docker-cli"], () => {})) {
    await apt(["install", "--yes", "--no-install-recommends", "docker-cli"], log);
    return;
  }
  const folder = await Deno.makeTempDir();
  try {
    const script = `cd "$1" && apt-get --quiet download docker.io && dpkg-deb --fsys-tarfile docker.io_*.deb |
      tar --extract --file=- --directory="$1" ./usr/bin/docker && install --mode=755 usr/bin/docker /usr/local/bin/docker`;
    const shell = new Deno.Command("sh", { args: ["-c", script, "sh", folder], stdout: "null", stderr: "piped" });
    const { success, stderr } = await shell.output();
    if (!success) log(`setup: the docker client is left out: ${new TextDecoder().decode(stderr).trim().slice(-500)}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { test: { type: "boolean", default: false }, long: { type: "boolean", default: false } },
  });
  const { failed, missing } = await setup(values);
  if (!failed && missing.length === 0) console.log("setup: nothing is missing");
  Deno.exit(failed ? 1 : 0);
}
