import type { EdgeCase } from "./edge_case.ts";

const V4 = "/v4.0.0/libpod/manifests";
const V3 = "/v3.4.0/libpod/manifests";

/** Manifest lists of the fourth generation: made of what the store and a registry have. */
const current: readonly EdgeCase[] = [
  {
    operation: "ManifestCreate",
    request: `POST ${V4}/localhost/list:1?images=SOURCE`,
    status: 201,
    take: { LIST: /"Id":"([0-9a-f]{64})"/ },
  },
  { operation: "ManifestExists", request: `GET ${V4}/localhost/list:1/exists`, status: 204 },
  {
    operation: "ManifestModify",
    request: `PUT ${V4}/localhost/list:1`,
    json: { operation: "update", images: ["docker://INDEX"], all: true },
    status: 200,
  },
  {
    operation: "ManifestModify",
    request: `PUT ${V4}/LIST`,
    json: { operation: "annotate", images: ["SOURCE_DIGEST"], annotations: { said: "of one" }, variant: "v1" },
    status: 200,
    same: true,
  },
  {
    operation: "ManifestModify",
    request: `PUT ${V4}/LIST`,
    json: { operation: "annotate", index_annotations: { said: "of all" } },
    status: 200,
    same: true,
  },
  {
    operation: "ManifestModify",
    request: `PUT ${V4}/LIST`,
    json: { operation: "remove", images: ["sha256:0000000000000000000000000000000000000000000000000000000000000000"] },
    status: 400,
    same: true,
  },
  {
    operation: "ManifestModify",
    request: `PUT ${V4}/LIST`,
    bytes: "FORM",
    type: "multipart/form-data; boundary=edge",
    status: 200,
    text: /"files":\["note.txt","zeroes.bin"\]/,
    same: true,
  },
  { operation: "ManifestInspect", request: `GET ${V4}/localhost/list:1/json`, status: 200, same: true },
  {
    operation: "ManifestPush",
    request: `POST ${V4}/localhost/list:1/registry/TARGET%2Flist:1`,
    status: 200,
    take: { LIST_DIGEST: /"Id":"(sha256:[0-9a-f]{64})"/ },
    keep: "list pushed",
    same: true,
  },
  {
    operation: "ManifestPush",
    request: `POST ${V4}/localhost/list:1/registry/TARGET%2Fdocker-list:1?quiet=false&format=v2s2`,
    status: 400,
    text: /holds no artifacts/,
  },
  {
    operation: "ImagesPull",
    request: "POST /libpod/images/pull?reference=TARGET/list:1&Arch=arm64&quiet=true",
    at: "second",
    status: 200,
    same: true,
  },
  { operation: "ManifestDelete", request: `DELETE ${V4}/localhost/list:1`, status: 200, text: /LIST/, same: true },
  { operation: "ManifestExists", request: `GET ${V4}/localhost/list:1/exists`, status: 404 },
];

/** The same in the words of the third generation. */
const former: readonly EdgeCase[] = [
  {
    operation: "ManifestCreateV3",
    request: `POST ${V3}/create?name=localhost/former:1`,
    status: 200,
    take: { FORMER: /"Id":"([0-9a-f]{64})"/ },
  },
  {
    operation: "ManifestAddV3",
    request: `POST ${V3}/localhost/former:1/add`,
    json: { images: ["SOURCE", "docker://DOCKER"], os: "linux" },
    status: 200,
    text: /FORMER/,
    same: true,
  },
  {
    operation: "ManifestRemoveDigestV3",
    request: `DELETE ${V3}/localhost/former:1?digest=SOURCE_DIGEST`,
    status: 200,
    same: true,
  },
  {
    operation: "ManifestPushV3",
    request: `POST ${V3}/localhost/former:1/push?destination=TARGET/former:1&all=true`,
    status: 200,
    take: { FORMER_DIGEST: /"Id":"(sha256:[0-9a-f]{64})"/ },
  },
];

/** Everything about manifest lists, in order. */
export const listCases: readonly EdgeCase[] = [...current, ...former];
