/**
 * The command line of `serve`: options, variables, defaults.
 *
 * @module
 */
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { parseAddress } from "../http/address.ts";
import { FIRST_DESCRIPTOR, parseDescriptor } from "../http/passed_socket.ts";
import type { LogLevel } from "../../engine/ports/log.ts";
import { parseDuration } from "../../engine/text/duration.ts";
import { messageOf } from "../../oci/message_of.ts";
import { outerUser } from "../linux/rootless/outer_user.ts";
import { besideRunroot, systemFolders, userFolders } from "./start/homes.ts";
import type { CertificateFiles } from "./start/read_certificates.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat } from "./server_log.ts";

/** What `serve` is to do. */
export interface ServeOptions {
  listen: string[];
  root: string;
  runroot: string;
  /** Absent: containers.conf's, else the first that works. */
  runtime?: string;
  /** In place of the usual folders with hooks. */
  hookFolders?: string[];
  /** In place of the usual folders with files of the Container Device Interface. */
  deviceFolders?: string[];
  /** How often containers are updated that ask for it, in milliseconds. */
  autoUpdate?: number;
  /** Updates are told of, and not made. */
  autoUpdateNotify?: boolean;
  /** In place of the usual folder of quadlets. */
  quadletFolder?: string;
  registriesConf?: string;
  containersConf?: string;
  authFile?: string;
  certsDir?: string;
  /** In Docker's API short names are Docker Hub's. */
  dockerHub: boolean;
  tokenFile?: string;
  /** TLS on TCP. */
  tls?: CertificateFiles;
  /** Further names that clients may call this server by over TCP. */
  allowHosts?: string[];
  logLevel: LogLevel;
  logFormat: LogFormat;
  /** Install what is missing first. */
  setup: boolean;
  help: boolean;
}

/** What `--help` prints. */
export const USAGE = `Usage: gantry serve [options]

Serves a container engine over HTTP, with the API of Podman and Docker.

  --listen ADDRESS        unix:///PATH or tcp://HOST:PORT; may be repeated. fd://: the sockets that systemd passes on,
                          fd://4: one that was passed on by its number.
                          Default: unix://RUNROOT/gantry.sock
  --root DIR              What lasts: images, volumes, records. Default: /var/lib/gantry,
                          or gantry in $XDG_DATA_HOME of a user that is not root
  --runroot DIR           What a reboot clears; one per root. Default: /run/gantry, or
                          gantry in $XDG_RUNTIME_DIR; for another root a folder of its own beside it
  --runtime RUNTIME       auto, crun, runc or a path. Default: containers.conf's, or auto
  --hooks-dir DIR         Hooks for containers, oci-hooks(5); may be repeated, a later one wins.
                          Default: /usr/share/containers/oci/hooks.d, /etc/containers/oci/hooks.d
  --cdi-spec-dir DIR      Devices by the Container Device Interface; may be repeated, a later one wins.
                          Default: /etc/cdi, /var/run/cdi
  --quadlet-dir DIR       Quadlets that are installed, podman-systemd.unit(5).
                          Default: /etc/containers/systemd, or quadlets in another root
  --auto-update TIME      Every so often (24h, 90m) update the containers whose label io.containers.autoupdate asks for it.
                          Default: never
  --auto-update-notify    Only log what has an update, and emit events
  --registries-conf FILE  registries.conf(5), with its drop-ins in FILE.d.
                          Default: /etc/containers/registries.conf
  --containers-conf FILE  What containers are by default, containers.conf(5), with its drop-ins in FILE.d.
                          Default: /usr/share/containers/containers.conf, /etc/containers/containers.conf
  --auth-file FILE        Credentials for registries, auth.json(5), where clients bring none.
                          Default: REGISTRY_AUTH_FILE, or the files of podman login and docker login
  --certs-dir DIR         Certificates of registries, in HOST:PORT/{ca.crt,NAME.cert,NAME.key}.
                          Default: /etc/containers/certs.d and /etc/docker/certs.d
  --no-docker-hub         Short names in Docker's API are those of registries.conf, not always Docker Hub's
  --token-file FILE       Clients must send the text of this file as bearer token
  --tls-cert FILE         Speak TLS over TCP, with this certificate (PEM), and those between it and its authority behind it
  --tls-key FILE          The key of that certificate (PEM)
  --tls-client-ca FILE    Let in over TCP only who has a certificate of these authorities (PEM)
  --allow-host NAME       A further name by which clients reach this server over TCP; may be repeated.
                          Always allowed: localhost, loopback addresses, the address reached, d and docker,
                          and the names in the certificate
  --log-level LEVEL       error, warn, info or debug, which has every request. Default: info
  --log-format FORMAT     text, or json: one object in each line. Default: text
  --no-setup              Do not install host packages that are missing
  --help                  Print this text

Each option can be given as a variable as well: GANTRY_LISTEN, GANTRY_HOOKS_DIR and GANTRY_ALLOW_HOST (several separated by commas),
GANTRY_ROOT, GANTRY_RUNROOT, GANTRY_RUNTIME, GANTRY_REGISTRIES_CONF, GANTRY_CONTAINERS_CONF, GANTRY_AUTH_FILE,
GANTRY_CERTS_DIR, GANTRY_TOKEN_FILE, GANTRY_TLS_CERT, GANTRY_TLS_KEY, GANTRY_TLS_CLIENT_CA, GANTRY_LOG_LEVEL, GANTRY_LOG_FORMAT, GANTRY_NO_DOCKER_HUB=1,
GANTRY_NO_SETUP=1.
Options win over variables.
`;

const LEAST_INTERVAL = 60_000;
/** A timer holds no more than 2^31 ms. */
const MOST_INTERVAL = 240 * 3_600_000;

/**
 * Reads the arguments, then the variables, then fills in the defaults of the user who runs it.
 *
 * @throws {SyntaxError} if an option is unknown, lacks its value or has one that cannot be
 */
export function parseServeOptions(
  args: readonly string[],
  env: Record<string, string | undefined>,
  uid: number = outerUser(),
): ServeOptions {
  const given = readArguments(args);
  const value = (name: keyof typeof given & string) => {
    const text = given[name] ?? (env[variableName(name)] || undefined);
    if (typeof text === "string" && text === "") throw new SyntaxError(`Read options: "--${name}" has no value`);
    return typeof text === "string" ? text : undefined;
  };
  const isSet = (name: "auto-update-notify" | "no-docker-hub" | "no-setup") =>
    given[name] === true || /^(1|true|yes)$/i.test(env[variableName(name)] ?? "");
  const homes = uid === 0 ? systemFolders() : userFolders(env, uid);
  const root = resolve(value("root") ?? homes.root);
  const runroot = resolve(
    value("runroot") ?? (root === homes.root ? homes.runroot : besideRunroot(homes.runroot, root)),
  );
  const listen = given.listen ?? listOf(env.GANTRY_LISTEN);
  const hookFolders = (given["hooks-dir"] ?? listOf(env.GANTRY_HOOKS_DIR)).map((folder) => resolve(folder));
  const deviceFolders = (given["cdi-spec-dir"] ?? listOf(env.GANTRY_CDI_SPEC_DIR)).map((folder) => resolve(folder));
  const allowHosts = given["allow-host"] ?? listOf(env.GANTRY_ALLOW_HOST);
  const addresses = listen.flatMap((address) => address === "fd://" ? passedSockets(env) : [address]);
  for (const address of addresses) if (parseDescriptor(address) === undefined) parseAddress(address);
  const logLevel = LOG_LEVELS.find((level) => level === (value("log-level") ?? "info"));
  if (logLevel === undefined) {
    throw new SyntaxError(`Read options: "${value("log-level")}" is no log level: use ${LOG_LEVELS.join(", ")}`);
  }
  const autoUpdate = readInterval(value("auto-update"));
  const logFormat = LOG_FORMATS.find((format) => format === (value("log-format") ?? "text"));
  if (logFormat === undefined) {
    throw new SyntaxError(`Read options: "${value("log-format")}" is no log format: use ${LOG_FORMATS.join(" or ")}`);
  }
  const runtime = value("runtime");
  if (runtime !== undefined && !/^(auto|crun|runc)$/.test(runtime) && !runtime.startsWith("/")) {
    throw new SyntaxError(`Read options: "${runtime}" is no runtime: use auto, crun, runc or a full path`);
  }
  const paths = {
    // Units of the system are run by one server: that of the usual root.
    quadletFolder: value("quadlet-dir") ?? (root === homes.root ? homes.quadlets : undefined),
    registriesConf: value("registries-conf"),
    containersConf: value("containers-conf"),
    authFile: value("auth-file"),
    certsDir: value("certs-dir"),
    tokenFile: value("token-file"),
  };
  const tls = readTLSFiles(value("tls-cert"), value("tls-key"), value("tls-client-ca"));
  if (tls !== undefined && !addresses.some((address) => !address.startsWith("unix:"))) {
    throw new SyntaxError('Read options: "--tls-cert" is for TCP: add --listen tcp://HOST:PORT');
  }
  return {
    listen: addresses.length > 0 ? addresses : [`unix://${join(runroot, "gantry.sock")}`],
    root,
    runroot,
    ...runtime !== undefined && { runtime },
    ...hookFolders.length > 0 && { hookFolders },
    ...deviceFolders.length > 0 && { deviceFolders },
    ...resolvePaths(paths),
    ...tls !== undefined && { tls },
    ...allowHosts.length > 0 && { allowHosts },
    ...autoUpdate !== undefined && { autoUpdate },
    ...isSet("auto-update-notify") && { autoUpdateNotify: true },
    logLevel,
    logFormat,
    dockerHub: !isSet("no-docker-hub"),
    setup: !isSet("no-setup"),
    help: given.help === true,
  };
}

/** The files for TLS, with full paths. Throws `SyntaxError` where one is given without another that it needs. */
function readTLSFiles(cert?: string, key?: string, clientCA?: string): CertificateFiles | undefined {
  if (cert === undefined && key === undefined && clientCA === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? "--tls-cert" : "--tls-key";
    throw new SyntaxError(`Read options: "${missing}" is missing: TLS needs a certificate and its key`);
  }
  return { cert: resolve(cert), key: resolve(key), ...clientCA !== undefined && { clientCA: resolve(clientCA) } };
}

/** The sockets that systemd has passed on, sd_listen_fds(3). Throws `SyntaxError` where there is none for this process. */
function passedSockets({ LISTEN_FDS, LISTEN_PID }: Record<string, string | undefined>): string[] {
  const count = /^[1-9]\d{0,2}$/.test(LISTEN_FDS ?? "") ? Number(LISTEN_FDS) : 0;
  if (count === 0) {
    throw new SyntaxError(
      'Read options: "--listen fd://": no socket was passed on; start the service by its .socket unit',
    );
  }
  if (LISTEN_PID && Number(LISTEN_PID) !== process.pid) {
    throw new SyntaxError(
      `Read options: "--listen fd://": the sockets are for process ${LISTEN_PID}, and this is ${process.pid}`,
    );
  }
  return Array.from({ length: count }, (_, index) => `fd://${FIRST_DESCRIPTOR + index}`);
}

/** Reads a span of time between updates. Throws `SyntaxError` for what is none, or shorter than a minute. */
function readInterval(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch (error) {
    throw new SyntaxError(`Read options: "--auto-update": ${messageOf(error)}`);
  }
  if (ms >= LEAST_INTERVAL && ms <= MOST_INTERVAL) return ms;
  throw new SyntaxError(`Read options: "--auto-update" takes from 1m to 240h, not ${text}`);
}

/** Returns the parts of a variable's value, which are separated by commas. */
function listOf(text = ""): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** Full paths of those that were given. */
function resolvePaths<K extends string>(paths: Record<K, string | undefined>): Partial<Record<K, string>> {
  const given = Object.entries<string | undefined>(paths).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, resolve(path)]]
  );
  // Entries of the record that came in, fewer of them.
  return Object.fromEntries(given) as Partial<Record<K, string>>;
}

function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        listen: { type: "string", multiple: true },
        root: { type: "string" },
        runroot: { type: "string" },
        runtime: { type: "string" },
        "hooks-dir": { type: "string", multiple: true },
        "cdi-spec-dir": { type: "string", multiple: true },
        "quadlet-dir": { type: "string" },
        "auto-update": { type: "string" },
        "auto-update-notify": { type: "boolean" },
        "registries-conf": { type: "string" },
        "containers-conf": { type: "string" },
        "auth-file": { type: "string" },
        "certs-dir": { type: "string" },
        "token-file": { type: "string" },
        "tls-cert": { type: "string" },
        "tls-key": { type: "string" },
        "tls-client-ca": { type: "string" },
        "allow-host": { type: "string", multiple: true },
        "log-level": { type: "string" },
        "log-format": { type: "string" },
        "no-docker-hub": { type: "boolean" },
        "no-setup": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    return values;
  } catch (error) {
    throw new SyntaxError(`Read options: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function variableName(option: string): string {
  return `GANTRY_${option.toUpperCase().replaceAll("-", "_")}`;
}
