import type { EdgeCase } from "./edge_case.ts";

/** `podman save`'s formats. */
const FORMATS = ["docker-archive", "oci-archive", "oci-dir", "docker-dir"];

/** Images from a registry, and what is said of them. */
const pulls: readonly EdgeCase[] = [
  {
    operation: "ImagesPull",
    request: "POST /libpod/images/pull?reference=SOURCE",
    status: 200,
    text: /"id":"SOURCE_ID"/,
  },
  {
    operation: "ImagesPull",
    request: "POST /libpod/images/pull?reference=DOCKER&quiet=true",
    status: 200,
    same: true,
  },
  {
    operation: "ImagesPull",
    request: "POST /libpod/images/pull?reference=INDEX&Arch=arm64&quiet=true",
    status: 200,
    same: true,
  },
  {
    operation: "ImagesPull",
    request: "POST /libpod/images/pull?reference=HOST/edge/source&allTags=true&policy=always&quiet=true",
    status: 200,
    same: true,
  },
  {
    operation: "CompatCreateImageFromImage",
    request: "POST /images/create?fromImage=SOURCE",
    status: 200,
    text: /Image is up to date|Download complete|Already exists/,
  },
  { operation: "GetImage", request: "GET /libpod/images/SOURCE/json", status: 200, same: true },
  { operation: "CompatGetImage", request: "GET /images/SOURCE/json", status: 200, same: true },
  { operation: "ImageExists", request: "GET /libpod/images/SOURCE/exists", status: 204 },
  { operation: "ImageTree", request: "GET /libpod/images/SOURCE/tree", status: 200, same: true },
  {
    operation: "ImageTree",
    request: "GET /libpod/images/SOURCE/tree?whatrequires=true",
    status: 200,
    same: true,
  },
  { operation: "HistoryImage", request: "GET /libpod/images/SOURCE/history", status: 200, same: true },
  { operation: "CompatHistoryImage", request: "GET /images/SOURCE/history", status: 200, same: true },
  { operation: "ImageResolve", request: "GET /libpod/images/short/resolve", status: 200, same: true },
  {
    operation: "GetImages",
    request: 'GET /libpod/images/json?filters={"reference":["SOURCE"]}',
    status: 200,
    same: true,
  },
  {
    operation: "CompatGetImages",
    request: 'GET /images/json?filters={"reference":["SOURCE"]}',
    status: 200,
    same: true,
  },
  { operation: "CompatSearchImages", request: "GET /images/search?term=HOST/edge/source", status: 200, same: true },
  {
    operation: "SearchImages",
    request: "GET /libpod/images/search?term=HOST/edge/source&listTags=true",
    status: 200,
    same: true,
  },
  { operation: "CompatInspectDistribution", request: "GET /distribution/INDEX/json", status: 200, same: true },
  {
    operation: "CompatAuth",
    request: "POST /auth",
    json: { username: "ann", password: "pw", serveraddress: "HOST" },
    status: 200,
    same: true,
  },
  { operation: "TagImage", request: "POST /libpod/images/SOURCE/tag?repo=localhost/other&tag=1", status: 201 },
  { operation: "UntagImage", request: "POST /libpod/images/SOURCE/untag?repo=localhost/other&tag=1", status: 201 },
  { operation: "CompatTagImage", request: "POST /images/SOURCE/tag?repo=localhost/other&tag=2", status: 201 },
];

/** Images on their way out: to a registry with the same digests, or other ones that are the same everywhere. */
const pushes: readonly EdgeCase[] = [
  {
    operation: "PushImage",
    request: "POST /libpod/images/SOURCE/push?destination=TARGET/one:1&quiet=false",
    status: 200,
    text: /"manifestdigest":"SOURCE_DIGEST"/,
  },
  {
    operation: "PushImage",
    request: "POST /libpod/images/SOURCE/push?destination=TARGET/converted:1&format=v2s2&quiet=false",
    status: 200,
    take: { CONVERTED: /"manifestdigest":"(sha256:[0-9a-f]{64})"/ },
  },
  {
    operation: "CompatPushImage",
    request: "POST /images/SOURCE/push?destination=TARGET/docker:2",
    status: 200,
    text: /"Digest":"SOURCE_DIGEST"/,
  },
  {
    operation: "PushImage",
    request: "POST /libpod/images/SOURCE/push?destination=TARGET/zstd:1&compressionFormat=zstd",
    status: 501,
    text: /has no Zstandard/,
    onlyIn: "workerd",
  },
];

/** Archives: the same bytes everywhere, and the same image where they are loaded. */
const archives: readonly EdgeCase[] = [
  ...FORMATS.flatMap((format): EdgeCase[] => [
    {
      operation: "ExportImage",
      request: `GET /libpod/images/SOURCE/get?format=${format}`,
      status: 200,
      keep: format,
      same: true,
    },
    {
      operation: "ImagesLoad",
      request: "POST /libpod/images/load",
      at: "second",
      bytes: format,
      status: 200,
      same: true,
    },
    {
      operation: "GetImages",
      request: "GET /libpod/images/json",
      at: "second",
      status: 200,
      text: /"Id":"(?:sha256:)?SOURCE_ID"/,
      same: true,
    },
    {
      operation: "ExportImage",
      request: `GET /libpod/images/SOURCE_ID/get?format=${format}`,
      at: "second",
      status: 200,
      keep: `${format} again`,
      same: true,
    },
    {
      operation: "ImagesRemove",
      request: "DELETE /libpod/images/SOURCE_ID?force=true",
      at: "second",
      status: 200,
      same: true,
    },
  ]),
  {
    operation: "ExportImages",
    request: "GET /libpod/images/export?format=docker-archive&references=SOURCE&references=DOCKER",
    status: 200,
    keep: "two",
    same: true,
  },
  { operation: "CompatLoadImages", request: "POST /images/load", at: "second", bytes: "two", status: 200, same: true },
  {
    operation: "CompatExportImages",
    request: "GET /images/get?names=SOURCE&names=DOCKER",
    at: "second",
    status: 200,
    keep: "two again",
    same: true,
  },
  {
    operation: "CompatExportImage",
    request: "GET /images/SOURCE/get",
    at: "second",
    status: 200,
    keep: "one again",
    same: true,
  },
  {
    operation: "ImagesLoad",
    request: "POST /libpod/images/load",
    bytes: "ROOT",
    status: 500,
    text: /supported image formats/,
  },
  {
    operation: "ImagesImport",
    request:
      "POST /libpod/images/import?reference=localhost/made:1&changes=CMD=/bin/a&changes=ENV%20A%3D1&message=note",
    bytes: "ROOT",
    status: 200,
    take: { MADE: /"sha256:([0-9a-f]{64})"/ },
  },
  {
    operation: "GetImage",
    request: "GET /libpod/images/localhost/made:1/json",
    status: 200,
    text: /"Layers":\["ROOT_DIGEST"\]/,
  },
  {
    operation: "ImagesImport",
    request: "POST /libpod/images/import?URL=FILES/root.tar&reference=localhost/fetched:1",
    status: 200,
    take: { FETCHED: /"sha256:([0-9a-f]{64})"/ },
  },
  {
    operation: "CompatCreateImageFromSrc",
    request: "POST /images/create?fromSrc=-&repo=localhost/made&tag=2",
    bytes: "ROOT_GZ",
    status: 200,
    take: { PACKED: /"status":"sha256:([0-9a-f]{64})"/ },
  },
  {
    operation: "GetImage",
    request: "GET /libpod/images/localhost/made:2/json",
    status: 200,
    text: /"Layers":\["ROOT_DIGEST"\]/,
  },
  {
    operation: "PushImage",
    request: "POST /libpod/images/localhost/made:1/push?destination=TARGET/made:1&quiet=false",
    status: 200,
    text: /"manifestdigest":"sha256:/,
  },
  {
    operation: "PushImage",
    request:
      "POST /libpod/images/localhost/made:1/push?destination=TARGET/packed:1&compressionFormat=gzip&compressionLevel=9",
    status: 501,
    text: /one level of gzip/,
    onlyIn: "workerd",
  },
  {
    operation: "ImagesPull",
    request: "POST /libpod/images/pull?reference=TARGET/made:1",
    at: "second",
    status: 200,
    text: /"id":"MADE"/,
  },
];

/** What goes, and that it is gone. */
const removals: readonly EdgeCase[] = [
  { operation: "UntagImage", request: "POST /libpod/images/localhost/made:1/untag", status: 201 },
  { operation: "PruneImages", request: "POST /libpod/images/prune", status: 200, text: /"Id":"MADE"/ },
  { operation: "CompatPruneImages", request: "POST /images/prune", status: 200, same: true },
  { operation: "CompatRemoveImage", request: "DELETE /images/localhost/made:2", status: 200, same: true },
  {
    operation: "ImagesBatchRemove",
    request: "DELETE /libpod/images/remove?images=localhost/fetched:1&images=none",
    status: 200,
    text: /"Errors":\["[^"]*none/,
    same: true,
  },
];

/** What needs a kernel, or files of a host. */
const refusals: readonly EdgeCase[] = [
  {
    operation: "ImagesLocalLoad",
    request: "POST /libpod/local/images/load?path=/etc/hostname",
    status: 501,
    text: /no kernel/,
  },
  {
    operation: "ImageScp",
    request: "POST /libpod/images/scp/SOURCE?destination=elsewhere::",
    status: 501,
    text: /kernel|connection/,
  },
  { operation: "Changes", request: "GET /libpod/images/SOURCE/changes", status: 501, text: /no kernel/ },
];

/** Everything about images, in order. */
export const imageCases: readonly EdgeCase[] = [...pulls, ...pushes, ...archives, ...removals, ...refusals];

/** Everything goes at last. */
export const lastCases: readonly EdgeCase[] = (["first", "second"] as const).flatMap((at) => [
  {
    operation: "ImagesBatchRemove",
    request: "DELETE /libpod/images/remove?all=true&force=true",
    at,
    status: 200,
    text: /"ExitCode":0/,
  },
  { operation: "GetImages", request: "GET /libpod/images/json", at, status: 200, text: /^\[\]\s*$/ },
]);
