import { api, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { body } from "../../wire/body.ts";
import { CommitConfig, CompatCommitQuery, IDResponse } from "../../wire/files/commit.ts";
import { ARCHIVE_LIMIT, ArchiveQuery, ChangesQuery, CompatPutArchiveQuery } from "../../wire/files/file.ts";
import { z } from "../../wire/zod.ts";

const name = z.string();

/** The files of containers, in Docker's tree. */
export const compatFilesAPI = api("http://localhost", {
  CompatContainerArchiveHead: rest("HEAD /containers/{name=%v}/archive?%v", [name, ArchiveQuery], [], { status: 200 }),
  CompatContainerArchive: rest(
    "GET /containers/{name=%v}/archive?%v",
    [name, ArchiveQuery],
    [stream("application/x-tar")],
  ),
  CompatPutContainerArchive: rest(
    "PUT(application/x-tar) /containers/{name=%v}/archive?%v",
    [name, CompatPutArchiveQuery, stream("application/x-tar")],
    [],
    { status: 200, body: "as-tagged", limit: ARCHIVE_LIMIT },
  ),
  CompatContainerChanges: rest(
    "GET /containers/{name=%v}/changes?%v",
    [name, ChangesQuery],
    [stream("application/json")],
  ),
  CompatCommitContainer: rest(
    "POST(application/json) /commit?%[2]v",
    [body(CommitConfig), CompatCommitQuery],
    [IDResponse],
    { status: 201, body: "as-tagged" },
  ),
  CompatExportContainer: rest("GET /containers/{name=%v}/export", [name], [stream("application/x-tar")]),
}, API_OPTIONS);
