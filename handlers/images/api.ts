import { api, chan, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import { PruneReport } from "../wire/containers/container.ts";
import { ChangesQuery } from "../wire/files/file.ts";
import { ProgressMessage } from "../wire/compat/image.ts";
import {
  HistoryResponse,
  ImageData,
  ImageImportReport,
  ImageLoadReport,
  ImagePullReport,
  ImagePushStream,
  ImageSearchReport,
  ImageSummary,
  ImageTreeReport,
  LibpodImagesRemoveReport,
  LibpodImagesResolveReport,
  ScpReport,
} from "../wire/images/image.ts";
import {
  ExportImageQuery,
  ExportImagesQuery,
  ImportQuery,
  ListImagesQuery,
  LocalLoadQuery,
  PruneImagesQuery,
  PullQuery,
  PushQuery,
  RemoveImageQuery,
  RemoveImagesQuery,
  ScpQuery,
  SearchQuery,
  TagQuery,
  TreeQuery,
} from "../wire/images/image_query.ts";
import { z } from "../wire/zod.ts";

const name = z.string();
const tar = stream("application/x-tar");
const archive = stream("application/octet; charset=us-ascii");

/** Images, in the native tree. Names hold slashes. */
export const imagesAPI = api("http://localhost", {
  ImagesPull: rest(
    "POST(application/json) /engine/images/pull?%v",
    [PullQuery],
    [chan(z.union([ImagePullReport, ProgressMessage]))],
    { body: "as-tagged" },
  ),
  GetImages: rest("GET /engine/images/json?%v", [ListImagesQuery], [z.array(ImageSummary)]),
  SearchImages: rest("GET /engine/images/search?%v", [SearchQuery], [z.array(ImageSearchReport)]),
  PruneImages: rest("POST /engine/images/prune?%v", [PruneImagesQuery], [z.array(PruneReport)]),
  ImagesBatchRemove: rest("DELETE /engine/images/remove?%v", [RemoveImagesQuery], [LibpodImagesRemoveReport]),
  ImagesRemove: rest("DELETE /engine/images/{name*=%v}?%v", [name, RemoveImageQuery], [LibpodImagesRemoveReport]),
  PushImage: rest(
    "POST(application/json) /engine/images/{name*=%v}/push?%v",
    [name, PushQuery],
    [chan(ImagePushStream)],
    { body: "as-tagged" },
  ),
  ExportImages: rest("GET /engine/images/export?%v", [ExportImagesQuery], [archive]),
  ExportImage: rest("GET /engine/images/{name*=%v}/get?%v", [name, ExportImageQuery], [archive]),
  ImagesLoad: rest("POST(application/x-tar) /engine/images/load", [tar], [ImageLoadReport], { body: "as-tagged" }),
  ImagesLocalLoad: rest("POST /engine/local/images/load?%v", [LocalLoadQuery], [ImageLoadReport]),
  ImagesImport: rest(
    "POST(application/x-tar) /engine/images/import?%v",
    [ImportQuery, tar],
    [ImageImportReport],
    { body: "as-tagged" },
  ),
  ImageScp: rest("POST /engine/images/scp/{name*=%v}?%v", [name, ScpQuery], [ScpReport]),
  ImageResolve: rest("GET /engine/images/{name*=%v}/resolve", [name], [LibpodImagesResolveReport]),
  GetImage: rest("GET /engine/images/{name*=%v}/json", [name], [ImageData]),
  ImageExists: rest("GET /engine/images/{name*=%v}/exists", [name]),
  ImageTree: rest("GET /engine/images/{name*=%v}/tree?%v", [name, TreeQuery], [ImageTreeReport]),
  Changes: rest("GET /engine/images/{name*=%v}/changes?%v", [name, ChangesQuery], [stream("application/json")]),
  HistoryImage: rest("GET /engine/images/{name*=%v}/history", [name], [z.array(HistoryResponse)]),
  TagImage: rest("POST /engine/images/{name*=%v}/tag?%v", [name, TagQuery], [], { status: 201 }),
  UntagImage: rest("POST /engine/images/{name*=%v}/untag?%v", [name, TagQuery], [], { status: 201 }),
}, API_OPTIONS);
