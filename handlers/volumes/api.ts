import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { body } from "../wire/body.ts";
import { PruneReport } from "../wire/containers/container.ts";
import { ARCHIVE_LIMIT } from "../wire/files/file.ts";
import {
  ListVolumesQuery,
  PruneVolumesQuery,
  RemoveVolumeQuery,
  VolumeConfigResponse,
  VolumeCreateOptions,
} from "../wire/volumes/volume.ts";
import { z } from "../wire/zod.ts";

const name = z.string();

/** Volumes, in the native tree. */
export const volumesAPI = api("http://localhost", {
  CreateVolume: rest(
    "POST(application/json) /engine/volumes/create",
    [body(VolumeCreateOptions)],
    [VolumeConfigResponse],
    { status: 201, body: "as-tagged" },
  ),
  ListVolumes: rest("GET /engine/volumes/json?%v", [ListVolumesQuery], [z.array(VolumeConfigResponse)]),
  PruneVolumes: rest("POST /engine/volumes/prune?%v", [PruneVolumesQuery], [z.array(PruneReport)]),
  InspectVolume: rest("GET /engine/volumes/{name=%v}/json", [name], [VolumeConfigResponse]),
  ExistsVolume: rest("GET /engine/volumes/{name=%v}/exists", [name]),
  ExportVolume: rest("GET /engine/volumes/{name=%v}/export", [name], [stream("application/x-tar")]),
  ImportVolume: rest(
    "POST(application/x-tar) /engine/volumes/{name=%v}/import",
    [name, stream("application/x-tar")],
    [],
    { body: "as-tagged", limit: ARCHIVE_LIMIT },
  ),
  RemoveVolume: rest("DELETE /engine/volumes/{name=%v}?%v", [name, RemoveVolumeQuery]),
}, API_OPTIONS);
