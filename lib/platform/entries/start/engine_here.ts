/**
 * The engine of a host in this process.
 *
 * @module
 */
import { open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { type ContainersConf, parseContainersConf } from "../../../engine/containers_conf.ts";
import { Engine } from "../../../engine/engine.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { EngineOptions } from "../../../engine/options.ts";
import type { Host, NoHost } from "../../../engine/ports/host_port.ts";
import type { Store } from "../../../engine/ports/ports.ts";
import { type ConfSource, parseRegistriesConf, type RegistriesConf } from "../../../oci/registry/registries_conf.ts";
import { hostClock } from "../../clock.ts";
import { hostCodec } from "../../codec.ts";
import { processBudget } from "../../http/connection_limit.ts";
import { WrittenPages } from "../../linux/storage/written_pages.ts";
import { FileBlobs } from "../../storage/file_blobs.ts";
import { openHost } from "../../linux/host.ts";
import { outerUser } from "../../linux/rootless/outer_user.ts";
import { hostNet } from "../../net.ts";
import { hostRandom } from "../../random.ts";
import { authFiles, CERTIFICATE_FOLDERS, checkAuthFile, fileCredentials, folderTLS } from "../../registry_access.ts";
import { makeSafeFolder } from "../../storage/safe_folder.ts";
import { SQLiteStore } from "../../storage/sqlite_store.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { startFailure } from "./start_failure.ts";
import type { Log } from "../../../engine/ports/log.ts";

/** The default path of a host's registries configuration. */
export const REGISTRIES_CONF = "/etc/containers/registries.conf";
/** The default paths of the defaults of a host's containers, the packages' own first. */
export const CONTAINERS_CONF = ["/usr/share/containers/containers.conf", "/etc/containers/containers.conf"];

/** How a host's engine is opened. */
export interface HostEngineOptions extends Omit<EngineOptions, "registries"> {
  /** The folder for what lasts. */
  root: string;
  /** The folder for what a reboot clears. It belongs to one root. */
  runroot: string;
  /** `auto`, `crun`, `runc`, or a path; by default containers.conf's, or `auto`. */
  runtime?: string;
  /** Folders with hooks (oci-hooks(5)), in place of the usual ones. */
  hookFolders?: readonly string[];
  /** Folders with files of the Container Device Interface, in place of the usual ones. */
  deviceFolders?: readonly string[];
  /** The folder of quadlets, whose units are run; `quadlets` in the root by default. The system's own is `/etc/containers/systemd`. */
  quadletFolder?: string;
  /** A `registries.conf`; its drop-ins are in the folder `FILE.d`. Only the default one may be missing. */
  registriesConf?: string;
  /** A `containers.conf`; its drop-ins are in the folder `FILE.d`. Only the default ones may be missing. */
  containersConf?: string;
  /** Credentials for callers that bring none, auth.json(5); by default those of `podman login` and `docker login`. */
  authFile?: string;
  /** A folder of certificates, `HOST:PORT/{ca.crt,NAME.cert,NAME.key}`; by default {@linkcode CERTIFICATE_FOLDERS}. */
  certsDir?: string;
}

/**
 * Opens the engine of this host in this process. Throws `EngineError("in_use")` when another server has the root or the runroot: nothing
 * is touched then. Where containers cannot run (no Linux, neither root nor in the namespace of a user), everything else works and the
 * engine says why.
 */
export async function openEngineHere(options: HostEngineOptions): Promise<Engine> {
  const root = resolve(options.root);
  const runroot = resolve(options.runroot);
  const log: Log = options.log ?? (() => {});
  const registries = await readRegistriesConf(options.registriesConf, log);
  const conf = await readContainersConf(options.containersConf, log);
  if (options.authFile !== undefined) await checkAuthFile(options.authFile, log);
  if (options.quadletFolder !== undefined) await checkQuadletFolder(options.quadletFolder);
  await makeSafeFolder(root, 0o711);
  // SQLite's lock on the file is the lock of the whole root; the kernel releases it however the holder ends.
  const store = await openStore(root);
  let host: Host | NoHost | undefined;
  try {
    await claimRunroot(runroot, root);
    const blobs = await FileBlobs.open(join(root, "blobs"), { openPages: WrittenPages.open });
    const { runtime = conf.runtime, hookFolders = conf.hookFolders, deviceFolders = conf.deviceFolders } = options;
    host = await openHost({
      root,
      runroot,
      runtime,
      hookFolders,
      deviceFolders,
      quadletFolder: options.quadletFolder,
      log,
    }).catch((error) => noHost(error, log));
    const ports = { store, blobs, net: hostNet(), codec: hostCodec(), clock: hostClock(), random: hostRandom(), host };
    const files = options.authFile === undefined ? authFiles(process.env, outerUser()) : [options.authFile];
    const usual = {
      defaults: conf.defaults,
      subnetPools: conf.subnetPools,
      proxyEnv: proxyEnv(process.env),
      credentials: fileCredentials(files, log),
      tls: folderTLS(options.certsDir === undefined ? CERTIFICATE_FOLDERS : [options.certsDir]),
    };
    const dockerHub = options.dockerHub === false ? false : conf.dockerHub;
    return await Engine.open(ports, { ...usual, ...options, dockerHub, registries, log });
  } catch (error) {
    if (host !== undefined && !("unavailable" in host)) await host.close();
    await store.close();
    throw error;
  }
}

/** Throws `EngineError("invalid")` for a file: its quadlets would be none. */
async function checkQuadletFolder(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || facts.isDirectory()) return;
  throw new EngineError(
    "invalid",
    `Read quadlets in "${path}": it is no folder; choose another place with --quadlet-dir`,
  );
}

/** Reads a registries.conf(5) and its drop-ins. Short names go to docker.io where no file says anything else. */
export async function readRegistriesConf(file?: string, log: Log = () => {}): Promise<RegistriesConf> {
  const path = file ?? REGISTRIES_CONF;
  const conf = parseRegistriesConf(...await confSources("registries", path, file === undefined));
  for (const name of conf.credentialHelpers) log("warn", `${path}: credential helper "${name}" is not run`);
  return conf.unqualifiedSearch.length > 0 ? conf : { ...conf, unqualifiedSearch: ["docker.io"] };
}

/** Reads a containers.conf(5) and its drop-ins, and says which of its settings do nothing here. */
export async function readContainersConf(file?: string, log: Log = () => {}): Promise<ContainersConf> {
  const paths = file === undefined ? CONTAINERS_CONF : [file];
  const sources = await Promise.all(paths.map((path) => confSources("containers", path, file === undefined)));
  const conf = parseContainersConf(...sources.flat());
  for (const setting of conf.ignored) log("warn", `${setting} is not a setting of this engine`);
  return conf;
}

/** A file, where it is there or must be, and its drop-ins in order. */
async function confSources(what: string, path: string, mayBeMissing: boolean): Promise<ConfSource[]> {
  const sources: ConfSource[] = [];
  const main = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (hasSystemCode(error, "ENOENT") && mayBeMissing) return undefined;
    const step = { text: `Read ${what} configuration "${path}"`, option: `--${what}-conf` };
    throw new EngineError("invalid", messageOf(startFailure(step, error)), { cause: error });
  });
  if (main !== undefined) sources.push({ name: path, text: main });
  const folder = `${path}.d`;
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    if (!name.endsWith(".conf")) continue;
    const dropIn = join(folder, name);
    sources.push({ name: dropIn, text: await readFile(dropIn, "utf8") });
  }
  return sources;
}

const PROXY_VARIABLES = ["http_proxy", "https_proxy", "ftp_proxy", "no_proxy"].flatMap((
  name,
) => [name, name.toUpperCase()]);

/** The variables by which programs find their proxy, of those there are. */
export function proxyEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(PROXY_VARIABLES.flatMap((name) => env[name] === undefined ? [] : [[name, env[name]]]));
}

async function openStore(root: string): Promise<Store> {
  const file = join(root, "gantry.db");
  try {
    // It holds what containers were started with. SQLite makes it readable for all, and its journals as it finds it.
    await (await open(file, "a", 0o600)).close();
    return await SQLiteStore.open(file, { isAlone: () => processBudget.busy === 1 });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "in_use") throw error;
    throw new EngineError(
      "in_use",
      `Open root "${root}": it is in use by another server; end that one, or choose another root`,
      { cause: error },
    );
  }
}

/** A server takes what it finds in its runroot and does not know for leftovers: those must never be another server's. */
async function claimRunroot(runroot: string, root: string): Promise<void> {
  await makeSafeFolder(runroot, 0o711);
  const file = join(runroot, "root");
  try {
    await writeFile(file, root, { flag: "wx" });
  } catch (error) {
    if (!hasSystemCode(error, "EEXIST")) throw error;
    const owner = await readFile(file, "utf8");
    if (owner === "") await writeFile(file, root);
    else if (owner !== root) {
      throw new EngineError("in_use", `Open runroot "${runroot}": it belongs to root "${owner}"; choose another one`);
    }
  }
}

/** Returns and logs why this machine cannot run containers: the engine does without them. Throws any other failure. */
function noHost(error: unknown, log: Log): NoHost {
  if (!(error instanceof EngineError) || error.code !== "unsupported") throw error;
  log("warn", `Containers cannot run here: ${error.message}`);
  return { unavailable: error.message };
}
