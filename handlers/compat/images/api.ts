import { api, chan, rest, stream } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import {
  ImageInspect,
  ImagesPruneReport,
  ImportedImage,
  LoadedImages,
  ProgressMessage,
  RemovedImage,
} from "../../wire/compat/image.ts";
import {
  CompatCreateImageQuery,
  CompatExportQuery,
  CompatImportQuery,
  CompatListImagesQuery,
  CompatLoadQuery,
  CompatPruneImagesQuery,
  CompatPushQuery,
  CompatRemoveImageQuery,
} from "../../wire/compat/query.ts";
import { HistoryResponse, ImageSearchResult, ImageSummary } from "../../wire/images/image.ts";
import { SearchQuery, TagQuery } from "../../wire/images/image_query.ts";
import { z } from "../../wire/zod.ts";

const name = z.string();
const tar = stream("application/x-tar");
const archive = stream("application/octet; charset=us-ascii");

/** Images, in Docker's tree. Names hold slashes. */
export const compatImagesAPI = api("http://localhost", {
  CompatCreateImageFromImage: rest(
    "POST(application/json) /images/create?%v",
    [CompatCreateImageQuery],
    [chan(ProgressMessage)],
    { present: ["fromImage"], body: "as-tagged" },
  ),
  CompatCreateImageFromSrc: rest(
    "POST(application/x-tar) /images/create?%v",
    [CompatImportQuery, tar],
    [chan(ImportedImage)],
    { present: ["fromSrc"], body: "as-tagged" },
  ),
  CompatExportImages: rest("GET /images/get?%v", [CompatExportQuery], [archive]),
  CompatExportImage: rest("GET /images/{name*=%v}/get", [name], [archive]),
  CompatLoadImages: rest("POST(application/x-tar) /images/load?%v", [CompatLoadQuery, tar], [chan(LoadedImages)], {
    body: "as-tagged",
  }),
  CompatPushImage: rest(
    "POST(application/json) /images/{name*=%v}/push?%v",
    [name, CompatPushQuery],
    [chan(ProgressMessage)],
    { body: "as-tagged" },
  ),
  CompatGetImages: rest("GET /images/json?%v", [CompatListImagesQuery], [z.array(ImageSummary)]),
  CompatSearchImages: rest("GET /images/search?%v", [SearchQuery], [z.array(ImageSearchResult)]),
  CompatPruneImages: rest("POST /images/prune?%v", [CompatPruneImagesQuery], [ImagesPruneReport]),
  CompatRemoveImage: rest("DELETE /images/{name*=%v}?%v", [name, CompatRemoveImageQuery], [z.array(RemovedImage)]),
  CompatGetImage: rest("GET /images/{name*=%v}/json", [name], [ImageInspect]),
  CompatHistoryImage: rest("GET /images/{name*=%v}/history", [name], [z.array(HistoryResponse)]),
  CompatTagImage: rest("POST /images/{name*=%v}/tag?%v", [name, TagQuery], [], { status: 201 }),
}, API_OPTIONS);
