import { api, chan, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { body } from "../wire/body.ts";
import { LibpodImagesRemoveReport } from "../wire/images/image.ts";
import {
  IDResponse,
  ManifestAccessQuery,
  ManifestAddOptions,
  ManifestCreateQuery,
  ManifestDeleteQuery,
  ManifestListData,
  ManifestModifyOptions,
  ManifestModifyReport,
  ManifestPushQuery,
  ManifestPushReport,
  ManifestPushV3Query,
  ManifestRemoveDigestQuery,
} from "../wire/manifests/manifest.ts";
import { z } from "../wire/zod.ts";

const name = z.string();
/** Versions before the fourth have operations of their own. */
const OLD = { versions: "<4" } as const;
const NEW = { versions: ">=4" } as const;
/** Files of artifacts, as many as a layer may have bytes. */
const ARTIFACT_LIMIT = 64 * 2 ** 30;

/** Manifest lists, in both generations. Names hold slashes. */
export const manifestsAPI = api("http://localhost", {
  ManifestCreate: rest(
    "POST(application/json) /engine/manifests/{name*=%v}?%v",
    [name, ManifestCreateQuery, body(ManifestModifyOptions)],
    [IDResponse],
    { ...NEW, status: 201, body: "as-tagged" },
  ),
  ManifestCreateV3: rest(
    "POST(application/json) /engine/manifests/create?%v",
    [ManifestCreateQuery, body(ManifestModifyOptions)],
    [IDResponse],
    { ...OLD, body: "as-tagged" },
  ),
  ManifestExists: rest("GET /engine/manifests/{name*=%v}/exists", [name]),
  ManifestInspect: rest("GET /engine/manifests/{name*=%v}/json?%v", [name, ManifestAccessQuery], [ManifestListData]),
  ManifestModify: rest(
    "PUT(application/json) /engine/manifests/{name*=%v}?%v",
    [name, ManifestAccessQuery, stream()],
    [ManifestModifyReport],
    { ...NEW, limit: ARTIFACT_LIMIT, body: "as-tagged" },
  ),
  ManifestDelete: rest(
    "DELETE /engine/manifests/{name*=%v}?%v",
    [name, ManifestDeleteQuery],
    [LibpodImagesRemoveReport],
    NEW,
  ),
  ManifestPush: rest(
    "POST(application/json) /engine/manifests/{name*=%v}/registry/{destination*=%v}?%v",
    [name, name, ManifestPushQuery],
    [chan(ManifestPushReport)],
    { ...NEW, body: "as-tagged" },
  ),
  ManifestAddV3: rest(
    "POST(application/json) /engine/manifests/{name*=%v}/add?%v",
    [name, ManifestAccessQuery, body(ManifestAddOptions)],
    [IDResponse],
    { ...OLD, body: "as-tagged" },
  ),
  ManifestRemoveDigestV3: rest(
    "DELETE /engine/manifests/{name*=%v}?%v",
    [name, ManifestRemoveDigestQuery],
    [IDResponse],
    OLD,
  ),
  ManifestPushV3: rest(
    "POST(application/json) /engine/manifests/{name*=%v}/push?%v",
    [name, ManifestPushV3Query],
    [IDResponse],
    { ...OLD, body: "as-tagged" },
  ),
}, API_OPTIONS);
