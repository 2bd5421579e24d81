import { api, chan, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { CompatBuildQuery } from "../../wire/builds/build.ts";
import { BuildResponse } from "../../wire/files/commit.ts";
import { ARCHIVE_LIMIT } from "../../wire/files/file.ts";

/** Building images, in Docker's tree. */
export const compatBuildsAPI = api("http://localhost", {
  CompatBuildImage: rest(
    "POST(application/x-tar) /build?%v",
    [CompatBuildQuery, stream("application/x-tar")],
    [chan(BuildResponse)],
    { body: "as-tagged", limit: ARCHIVE_LIMIT },
  ),
  CompatBuildKit: rest("POST /grpc", [], [stream()]),
  CompatBuildSession: rest("POST /session", [], [stream()]),
}, API_OPTIONS);
