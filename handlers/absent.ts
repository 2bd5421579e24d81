import type { EncodedError } from "../lib/rest/mod.ts";
import { errorModel } from "./wire/error_model.ts";

/** Podman's families of operations. */
const FAMILIES = new Set(
  "artifacts build commit containers exec generate images kube manifests networks play pods quadlets secrets system volumes"
    .split(" "),
);

/** Paths of the native tree, under either spelling of its name; captures the part after it. */
const NATIVE = /^\/(?:v[0-9][^/]*\/)?(?:libpod|engine)(\/([a-z]+)(?:\/.*)?)$/;
/** Paths of Docker's tree, by the version of its API; captures the part after it. */
const DOCKER = /^\/v1\.[0-9]+(\/.*)$/;
/** Paths of Docker's builds besides the builds themselves: `/build/cancel`. */
const BUILD = /^(?:\/v[0-9][^/]*)?(\/build\/.*)$/;

/** Paths of Docker's tree that belong to a swarm; captures what is asked of the swarm itself. */
const SWARM = /^(?:\/v[0-9][^/]*)?\/(?:swarm(?:\/(.*))?|(?:nodes|services|tasks|configs)(?:\/.*)?)$/;
/** Paths of Docker's tree that belong to a plugin; captures its name, or the word for making one. */
const PLUGIN = /^(?:\/v[0-9][^/]*)?\/plugins\/(.+?)(?:\/(?:json|enable|disable|push|upgrade|set))?$/;
/** Docker's words, by which its clients know that there is no swarm. */
const NO_SWARM = "This node is not a swarm manager. " +
  'Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.';

/** Returns the answer of a path that belongs to what Docker has and a single host has not: 503 for swarms, 404 for plugins. */
function absentOfDocker(method: string, pathname: string): EncodedError | undefined {
  const swarm = SWARM.exec(pathname);
  if (swarm !== null) {
    if (swarm[1] === "init" || swarm[1] === "join") {
      return errorModel(501, `${method} ${pathname}: swarms are not supported`, "not supported");
    }
    return errorModel(503, swarm[1] === "leave" ? "This node is not part of a swarm" : NO_SWARM);
  }
  const [, plugin] = PLUGIN.exec(pathname) ?? [];
  if (plugin === undefined) return undefined;
  if (plugin === "pull" || plugin === "create" || plugin === "privileges") {
    return errorModel(501, `${method} ${pathname}: plugins are not supported`, "not supported");
  }
  return errorModel(404, `plugin "${plugin}" not found`);
}

/** Returns the answer of a path of Docker's tree that is served by other methods; `undefined` for other paths. */
export function absentMethod({ method, url }: Request): EncodedError | undefined {
  const [, path] = DOCKER.exec(new URL(url).pathname) ?? [];
  return path === undefined ? undefined : errorModel(405, `${method} ${path}: this API has no such operation`);
}

/**
 * Returns the answer of a path that only Podman or Docker may serve, of other versions say: an error their clients can read,
 * where plain text would only confuse them. `undefined` for other paths.
 */
export function absentOperation({ method, url }: Request): EncodedError | undefined {
  const { pathname } = new URL(url);
  const docker = absentOfDocker(method, pathname);
  if (docker !== undefined) return docker;
  if (/^(?:\/v[0-9][^/]*)?\/monitor$/.test(pathname)) return errorModel(404, `Path ${pathname} is not supported`);
  const [, build] = BUILD.exec(pathname) ?? [];
  if (build !== undefined) {
    return errorModel(501, `${method} ${build} is not supported: a build ends with its connection`, "not supported");
  }
  const [, path = "", family = ""] = NATIVE.exec(pathname) ?? [];
  const [, dockers] = path === "" && DOCKER.exec(pathname) || [];
  // The clients of both show the message of an error, and of a text only that they cannot read it.
  const asked = dockers ?? (FAMILIES.has(family) ? path : undefined);
  return asked === undefined
    ? undefined
    : errorModel(404, `${method} ${asked}: this API has no such operation`, "not found");
}
