import { api, rest } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { body } from "../../wire/body.ts";
import {
  CompatRemoveVolumeQuery,
  CompatVolumeCreateOptions,
  DockerVolume,
  ListVolumesQuery,
  VolumeListResponse,
  VolumesPruneReport,
} from "../../wire/volumes/volume.ts";
import { z } from "../../wire/zod.ts";

const name = z.string();

/** Volumes, in Docker's tree. */
export const compatVolumesAPI = api("http://localhost", {
  CompatCreateVolume: rest(
    "POST(application/json) /volumes/create",
    [body(CompatVolumeCreateOptions)],
    [DockerVolume],
    { status: 201, body: "as-tagged" },
  ),
  CompatListVolumes: rest("GET /volumes?%v", [ListVolumesQuery], [VolumeListResponse]),
  CompatPruneVolumes: rest("POST /volumes/prune?%v", [ListVolumesQuery], [VolumesPruneReport]),
  CompatInspectVolume: rest("GET /volumes/{name=%v}", [name], [DockerVolume]),
  CompatRemoveVolume: rest("DELETE /volumes/{name=%v}?%v", [name, CompatRemoveVolumeQuery]),
}, API_OPTIONS);
