import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import {
  AddArtifactQuery,
  ArtifactDigestReport,
  ArtifactRemoveReport,
  ArtifactReport,
  ExtractArtifactQuery,
  PullArtifactQuery,
  PushArtifactQuery,
  RemoveArtifactsQuery,
} from "../wire/artifacts/artifact.ts";
import { z } from "../wire/zod.ts";

const name = z.string();

/** Artifacts: files of any kind under the names of images. */
export const artifactsAPI = api("http://localhost", {
  ListArtifact: rest("GET /engine/artifacts/json", [], [z.array(ArtifactReport)]),
  InspectArtifact: rest("GET /engine/artifacts/{name*=%v}/json", [name], [ArtifactReport]),
  AddArtifact: rest(
    "POST(application/octet-stream) /engine/artifacts/add?%v",
    [AddArtifactQuery, stream()],
    [ArtifactDigestReport],
    { status: 201, body: "as-tagged" },
  ),
  AddLocalArtifact: rest("POST /engine/artifacts/local/add?%v", [AddArtifactQuery], [ArtifactDigestReport], {
    status: 201,
  }),
  ExtractArtifact: rest(
    "GET /engine/artifacts/{name*=%v}/extract?%v",
    [name, ExtractArtifactQuery],
    [stream("application/x-tar")],
  ),
  PullArtifact: rest("POST /engine/artifacts/pull?%v", [PullArtifactQuery], [ArtifactDigestReport]),
  PushArtifact: rest("POST /engine/artifacts/{name*=%v}/push?%v", [name, PushArtifactQuery], [ArtifactDigestReport]),
  BatchRemoveArtifact: rest("DELETE /engine/artifacts/remove?%v", [RemoveArtifactsQuery], [ArtifactRemoveReport]),
  RemoveArtifact: rest("DELETE /engine/artifacts/{name*=%v}", [name], [ArtifactRemoveReport]),
}, API_OPTIONS);
