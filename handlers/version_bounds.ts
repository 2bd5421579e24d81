import { isBefore } from "./path_version.ts";
import { API_VERSION, wireHeaders } from "./wire/api_options.ts";
import { errorModel } from "./wire/error_model.ts";

/** The URL of a path of Docker's tree with a version as Docker's clients write it: `/v1.44/info`. It is read as it stands: every request comes by. */
const DOCKER = /^[a-z]+:\/\/[^/?#]*\/v(\d{1,4}\.\d{1,4})\/(?!libpod\/|engine\/)/;

/**
 * Archives of images, by the version that older skopeo, buildah and podman (those of Debian 12) name for `docker-daemon:`. They
 * negotiate none. Podman's service takes it, and these two operations are the same in every version.
 */
const ARCHIVES = /^[a-z]+:\/\/[^/?#]*\/v1\.22\/images\/(?:load|(?:[^?#]+\/)?get)(?:[?#]|$)/;

/**
 * Returns Docker's answer to a version of its API that is older or newer than what is spoken here, by which its clients
 * negotiate; `undefined` for every other request.
 *
 * Source: `VersionMiddleware` of moby's `daemon/server/middleware`.
 */
export function refuseVersion(request: Request): Response | undefined {
  const [, version] = DOCKER.exec(request.url) ?? [];
  if (version === undefined) return undefined;
  const { compat: newest, compatMinimal: oldest } = API_VERSION;
  if (isOlder(version, oldest)) {
    if (ARCHIVES.test(request.url)) return undefined;
    const advice = "please upgrade your client to a newer version";
    return refuseWith(
      request,
      `client version ${version} is too old. Minimum supported API version is ${oldest}, ${advice}`,
    );
  }
  if (!isOlder(newest, version)) return undefined;
  return refuseWith(request, `client version ${version} is too new. Maximum supported API version is ${newest}`);
}

function isOlder(version: string, other: string): boolean {
  const [major, minor] = other.split(".").map(Number);
  return isBefore(version, major, minor);
}

function refuseWith(request: Request, message: string): Response {
  const { status, body } = errorModel(400, message);
  return Response.json(body, { status, headers: wireHeaders({ request }) });
}
