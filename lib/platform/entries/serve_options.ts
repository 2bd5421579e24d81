/**
 * The command line of `serve`: options, variables, defaults.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { parseDuration } from "../../engine/text/duration.ts";
import { messageOf } from "../../oci/message_of.ts";
import { outerUser } from "../linux/rootless/outer_user.ts";
import { DOOR_SHAPES, type DoorOptions, readDoorOptions } from "./start/door_options.ts";
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
