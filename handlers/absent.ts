import type { EncodedError } from "../lib/rest/mod.ts";
import { errorModel } from "./wire/error_model.ts";

/** Podman's families of operations, some of which, or some of whose operations, nothing serves yet. */
const FAMILIES = new Set(
  "artifacts build commit containers exec generate images kube manifests networks play pods quadlets secrets system volumes"
    .split(" "),
);

/** Paths of the native tree, under either spelling of its name; captures the part after it. */
const NATIVE = /^\/(?:v[0-9][^/]*\/)?(?:libpod|engine)(\/([a-z]+)(?:\/.*)?)$/;
/** Paths of Docker's tree, by the version of its API; captures the part after it. */
const DOCKER = /^\/v1\.[0-9]+(\/.*)$/;
/** Paths at which a client looks for an object by its name. */
const OBJECT = /^\/pods\/([^/]+)\/(?:json|exists)$/;
/** Paths at which Docker's clients have images built: classically, and by BuildKit. */
const BUILD = /^(?:\/v[0-9][^/]*)?(\/(?:build(?:\/.*)?|session|grpc))$/;

/**
 * Returns the answer of a path of the native tree that only Podman serves, or of Docker's that only Docker does: an error
 * its clients can read, where plain text would only confuse them. `undefined` for other paths.
 */
export function absentOperation({ method, url }: Request): EncodedError | undefined {
  const { pathname } = new URL(url);
  const [, build] = BUILD.exec(pathname) ?? [];
  if (build !== undefined) {
    return errorModel(501, `${method} ${build}: images are not built here yet`, "not yet implemented");
  }
  const [, path = "", family = ""] = NATIVE.exec(pathname) ?? [];
  const [, dockers] = path === "" && DOCKER.exec(pathname) || [];
  // Docker's clients show the message of an error, and of a text only that it is none of Docker's.
  if (dockers !== undefined) {
    return errorModel(404, `${method} ${dockers}: this API has no such operation`, "not found");
  }
  if (!FAMILIES.has(family)) return undefined;
  const [, name] = OBJECT.exec(path) ?? [];
  // A client that looks for a name everywhere goes on when it is told these words, and by the status elsewhere.
  if (family === "pods" && name !== undefined) {
    return errorModel(404, `no pod with name or ID ${name} found: no such pod`, "no such pod");
  }
  return errorModel(name === undefined ? 501 : 404, `${method} ${path} is not supported yet`, "not yet implemented");
}
