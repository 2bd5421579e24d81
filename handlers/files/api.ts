import { api, chan, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { body } from "../wire/body.ts";
import { BuildResponse, CommitConfig, CommitQuery, IDResponse } from "../wire/files/commit.ts";
import { ARCHIVE_LIMIT, ArchiveQuery, ChangesQuery, MountQuery, PutArchiveQuery } from "../wire/files/file.ts";
import { z } from "../wire/zod.ts";

const name = z.string();

/** The files of containers, in the native tree. */
export const filesAPI = api("http://localhost", {
  ContainerArchiveHead: rest("HEAD /engine/containers/{name=%v}/archive?%v", [name, ArchiveQuery], [], { status: 200 }),
  ContainerArchive: rest(
    "GET /engine/containers/{name=%v}/archive?%v",
    [name, ArchiveQuery],
    [stream("application/x-tar")],
  ),
  PutContainerArchive: rest(
    "PUT(application/x-tar) /engine/containers/{name=%v}/archive?%v",
    [name, PutArchiveQuery, stream("application/x-tar")],
    [],
    { status: 200, body: "as-tagged", limit: ARCHIVE_LIMIT },
  ),
  ContainerChanges: rest(
    "GET /engine/containers/{name=%v}/changes?%v",
    [name, ChangesQuery],
    [stream("application/json")],
  ),
  CommitContainer: rest(
    "POST(application/json) /engine/commit?%[2]v",
    [body(CommitConfig), CommitQuery],
    [chan(z.union([IDResponse, BuildResponse]))],
    { body: "as-tagged" },
  ),
  ExportContainer: rest("GET /engine/containers/{name=%v}/export", [name], [stream("application/x-tar")]),
  MountContainer: rest("POST /engine/containers/{name=%v}/mount?%v", [name, MountQuery], [z.string()]),
  UnmountContainer: rest("POST /engine/containers/{name=%v}/unmount", [name]),
  ShowMountedContainers: rest("GET /engine/containers/showmounted", [], [z.record(z.string(), z.string())]),
}, API_OPTIONS);
