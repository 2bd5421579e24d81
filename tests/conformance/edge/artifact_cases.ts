import type { EdgeCase } from "./edge_case.ts";

const PATH = "/libpod/artifacts";
const FILE = "application/octet-stream";

/** Artifacts: made, pushed, pulled where nothing is known of them, taken out and removed, in order. */
export const artifactCases: readonly EdgeCase[] = [
  {
    operation: "AddArtifact",
    request: `POST ${PATH}/add?name=TARGET/model:1&fileName=one.bin&artifactMIMEType=x/y&annotations=a=b`,
    bytes: "FILE",
    type: FILE,
    status: 201,
    text: /"ArtifactDigest":"sha256:[0-9a-f]{64}"/,
  },
  {
    operation: "AddArtifact",
    request: `POST ${PATH}/add?name=TARGET/model:1&fileName=two.tar&append=true`,
    bytes: "ROOT",
    type: FILE,
    status: 201,
    take: { ARTIFACT: /"ArtifactDigest":"(sha256:[0-9a-f]{64})"/ },
  },
  {
    operation: "AddArtifact",
    request: `POST ${PATH}/add?name=TARGET/model:1&fileName=two.tar&append=true`,
    bytes: "ROOT",
    type: FILE,
    status: 500,
    text: /already exists/,
    same: true,
  },
  { operation: "ListArtifact", request: `GET ${PATH}/json`, status: 200, same: true },
  { operation: "InspectArtifact", request: `GET ${PATH}/TARGET/model:1/json`, status: 200, same: true },
  {
    operation: "PushArtifact",
    request: `POST ${PATH}/TARGET/model:1/push`,
    status: 200,
    text: /"ArtifactDigest":"ARTIFACT"/,
  },
  {
    operation: "PullArtifact",
    request: `POST ${PATH}/pull?name=TARGET/model:1`,
    at: "second",
    status: 200,
    text: /"ArtifactDigest":"ARTIFACT"/,
  },
  {
    operation: "InspectArtifact",
    request: `GET ${PATH}/TARGET/model:1/json`,
    at: "second",
    status: 200,
    same: true,
  },
  {
    operation: "ExtractArtifact",
    request: `GET ${PATH}/TARGET/model:1/extract`,
    at: "second",
    status: 200,
    keep: "all files",
    same: true,
  },
  {
    operation: "ExtractArtifact",
    request: `GET ${PATH}/TARGET/model:1/extract?title=two.tar&excludetitle=true`,
    at: "second",
    status: 200,
    keep: "one file",
    same: true,
  },
  {
    operation: "ExtractArtifact",
    request: `GET ${PATH}/TARGET/model:1/extract?digest=FILE_DIGEST`,
    at: "second",
    status: 200,
    keep: "file of a digest",
    same: true,
  },
  {
    operation: "AddArtifact",
    request: `POST ${PATH}/add?name=TARGET/model:1&fileName=three.bin&replace=true`,
    bytes: "FILE",
    type: FILE,
    status: 201,
  },
  {
    operation: "RemoveArtifact",
    request: `DELETE ${PATH}/TARGET/model:1`,
    at: "second",
    status: 200,
    text: /"ArtifactDigests":\["ARTIFACT"\]/,
  },
  {
    operation: "BatchRemoveArtifact",
    request: `DELETE ${PATH}/remove?all=true`,
    status: 200,
    text: /"ArtifactDigests":\["sha256:[0-9a-f]{64}"\]/,
  },
  { operation: "ListArtifact", request: `GET ${PATH}/json`, status: 200, text: /^\[\]\s*$/ },
  {
    operation: "AddLocalArtifact",
    request: `POST ${PATH}/local/add?name=localhost/a:1&fileName=a&path=/etc/hostname`,
    status: 501,
    text: /no kernel/,
  },
];
