import { api, chan, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { BuildQuery, LocalBuildQuery } from "../wire/builds/build.ts";
import { BuildResponse } from "../wire/files/commit.ts";
import { ARCHIVE_LIMIT } from "../wire/files/file.ts";

/** Building images, in the native tree. */
export const buildsAPI = api("http://localhost", {
  BuildImage: rest(
    "POST(application/x-tar) /engine/build?%v",
    [BuildQuery, stream("application/x-tar")],
    [chan(BuildResponse)],
    { body: "as-tagged", limit: ARCHIVE_LIMIT },
  ),
  LocalBuildImage: rest("POST /engine/local/build?%v", [LocalBuildQuery], [chan(BuildResponse)]),
}, API_OPTIONS);
