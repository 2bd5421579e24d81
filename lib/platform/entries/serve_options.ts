/**
 * The command line of `serve`: options, variables, defaults.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { parseDuration } from "../../engine/text/duration.ts";
import { messageOf } from "../../oci/message_of.ts";
import { outerUser } from "../linux/rootless/outer_user.ts";
import { DOOR_SHAPES, DOOR_USAGE, type DoorOptions, readDoorOptions } from "./start/door_options.ts";
import { usualFolders } from "./start/homes.ts";
import { OptionReader } from "./start/option_reader.ts";
import { withoutAbsent } from "../../oci/json.ts";

/** What `serve` is to do. */
export interface ServeOptions extends DoorOptions {
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
${DOOR_USAGE}
  --no-setup              Do not install host packages that are missing
  --help                  Print this text

Each option can be given as a variable as well: GANTRY_LISTEN, GANTRY_HOOKS_DIR, GANTRY_CDI_SPEC_DIR,
GANTRY_ALLOW_HOST and GANTRY_ALLOW_ORIGIN (several separated by commas), GANTRY_ROOT, GANTRY_RUNROOT, GANTRY_RUNTIME, GANTRY_REGISTRIES_CONF, GANTRY_CONTAINERS_CONF, GANTRY_AUTH_FILE,
GANTRY_CERTS_DIR, GANTRY_TOKEN_FILE, GANTRY_TLS_CERT, GANTRY_TLS_KEY, GANTRY_TLS_CLIENT_CA, GANTRY_LOG_LEVEL, GANTRY_LOG_FORMAT, GANTRY_QUADLET_DIR,
GANTRY_AUTO_UPDATE, GANTRY_AUTO_UPDATE_NOTIFY=1, GANTRY_NO_DOCKER_HUB=1,
GANTRY_NO_SETUP=1.
Options win over variables.
`;

const SHAPES = {
  ...DOOR_SHAPES,
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
  "no-docker-hub": { type: "boolean" },
  "no-setup": { type: "boolean" },
} as const;

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
  const read = new OptionReader(SHAPES, args, env);
  const doors = readDoorOptions(read, env);
  const { root, runroot, quadlets } = usualFolders(env, uid, {
    root: read.path("root"),
    runroot: read.path("runroot"),
  });
  const hookFolders = read.list("hooks-dir").map((folder) => resolve(folder));
  const deviceFolders = read.list("cdi-spec-dir").map((folder) => resolve(folder));
  const autoUpdate = readInterval(read.value("auto-update"));
  const runtime = read.value("runtime");
  if (runtime !== undefined && !/^(auto|crun|runc)$/.test(runtime) && !runtime.startsWith("/")) {
    throw new SyntaxError(`Read options: "${runtime}" is no runtime: use auto, crun, runc or a full path`);
  }
  return {
    ...doors,
    listen: doors.listen.length > 0 ? doors.listen : [usualAddress(runroot)],
    root,
    runroot,
    ...withoutAbsent({
      runtime,
      autoUpdate,
      quadletFolder: read.path("quadlet-dir") ?? quadlets,
      registriesConf: read.path("registries-conf"),
      containersConf: read.path("containers-conf"),
      authFile: read.path("auth-file"),
      certsDir: read.path("certs-dir"),
    }),
    ...hookFolders.length > 0 && { hookFolders },
    ...deviceFolders.length > 0 && { deviceFolders },
    ...read.isSet("auto-update-notify") && { autoUpdateNotify: true },
    dockerHub: !read.isSet("no-docker-hub"),
    setup: !read.isSet("no-setup"),
    help: read.isSet("help"),
  };
}

/** The address of a server that is told none. */
export function usualAddress(runroot: string): string {
  return `unix://${join(runroot, "gantry.sock")}`;
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
