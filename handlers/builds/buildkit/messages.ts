/**
 * The messages of BuildKit's protocol that are spoken here, with the numbers of their fields: `moby.buildkit.v1`,
 * `moby.buildkit.v1.frontend`, `moby.filesync.v1`, `moby.buildkit.secrets.v1`, `moby.sshforward.v1` and `fsutil.types`.
 *
 * @module
 */
import { Message, type MessageValue } from "./protobuf.ts";

const TEXTS = { map: "string" } as const;
const LIST = { list: "string" } as const;

/** A time: seconds since the epoch, and nanoseconds. */
const Timestamp = new Message({ seconds: [1, "int64"], nanos: [2, "int32"] });

/** Returns a time in milliseconds since the epoch as a message has it. */
export function timeMessage(ms: number): MessageValue<typeof Timestamp> {
  return { seconds: Math.floor(ms / 1000), nanos: Math.round(ms % 1000 * 1e6) };
}

const OperationFacts = new Message({});
/** A definition in BuildKit's own language: its steps as bytes, which name one another by their digests. */
export const Definition = new Message({ def: [1, { list: "bytes" }], metadata: [2, { map: OperationFacts }] });
const StepInput = new Message({ digest: [1, "string"], index: [2, "int64"] });
const SourceStep = new Message({ identifier: [1, "string"] });
/** A step of a definition: a source, or the definition's end. */
export const DefinitionStep = new Message({ inputs: [1, { list: StepInput }], source: [3, SourceStep] });
const Platform = new Message({ Architecture: [1, "string"], OS: [2, "string"], Variant: [3, "string"] });
const BuildkitVersion = new Message({ package: [1, "string"], version: [2, "string"], revision: [3, "string"] });
const WorkerRecord = new Message({
  ID: [1, "string"],
  Labels: [2, TEXTS],
  platforms: [3, { list: Platform }],
  BuildkitVersion: [5, BuildkitVersion],
});
const CacheEntry = new Message({ Type: [1, "string"], Attrs: [2, TEXTS] });
const CacheOptions = new Message({
  ExportRef: [1, "string"],
  ImportRefs: [2, LIST],
  Exports: [4, { list: CacheEntry }],
  Imports: [5, { list: CacheEntry }],
});
const Exporter = new Message({ Type: [1, "string"], Attrs: [2, TEXTS] });

/** `Control.Solve`. */
export const SolveRequest = new Message({
  Ref: [1, "string"],
  Definition: [2, Definition],
  Exporter: [3, "string"],
  ExporterAttrs: [4, TEXTS],
  Session: [5, "string"],
  Frontend: [6, "string"],
  FrontendAttrs: [7, TEXTS],
  Cache: [8, CacheOptions],
  Entitlements: [9, LIST],
  FrontendInputs: [10, { map: Definition }],
  Exporters: [13, { list: Exporter }],
});
export const SolveResponse = new Message({ ExporterResponse: [1, TEXTS] });

/** `Control.Status`. */
export const StatusRequest = new Message({ Ref: [1, "string"] });
const Vertex = new Message({
  digest: [1, "string"],
  inputs: [2, LIST],
  name: [3, "string"],
  cached: [4, "bool"],
  started: [5, Timestamp],
  completed: [6, Timestamp],
  error: [7, "string"],
});
const VertexStatus = new Message({
  ID: [1, "string"],
  vertex: [2, "string"],
  name: [3, "string"],
  current: [4, "int64"],
  total: [5, "int64"],
  timestamp: [6, Timestamp],
  started: [7, Timestamp],
  completed: [8, Timestamp],
});
const VertexLog = new Message({
  vertex: [1, "string"],
  timestamp: [2, Timestamp],
  stream: [3, "int64"],
  msg: [4, "bytes"],
});
export const StatusResponse = new Message({
  vertexes: [1, { list: Vertex }],
  statuses: [2, { list: VertexStatus }],
  logs: [3, { list: VertexLog }],
});
export type VertexValue = Partial<MessageValue<typeof Vertex>>;
export type StatusValue = Partial<MessageValue<typeof StatusResponse>>;

export const ListWorkersResponse = new Message({ record: [1, { list: WorkerRecord }] });
export const InfoResponse = new Message({ buildkitVersion: [1, BuildkitVersion] });
export const BytesMessage = new Message({ data: [1, "bytes"] });
export const UsageRecord = new Message({
  ID: [1, "string"],
  InUse: [3, "bool"],
  Size: [4, "int64"],
  CreatedAt: [6, Timestamp],
  LastUsedAt: [7, Timestamp],
  UsageCount: [8, "int64"],
  Description: [9, "string"],
  RecordType: [10, "string"],
  Shared: [11, "bool"],
  Parents: [12, LIST],
});
/** `Control.DiskUsage` and `Control.Prune`: durations are nanoseconds, spaces bytes. */
export const DiskUsageRequest = new Message({ filter: [1, LIST], ageLimit: [2, "int64"] });
export const PruneRequest = new Message({
  filter: [1, LIST],
  all: [2, "bool"],
  keepDuration: [3, "int64"],
  reservedSpace: [4, "int64"],
  maxUsedSpace: [5, "int64"],
  minFreeSpace: [6, "int64"],
});
export const DiskUsageResponse = new Message({ record: [1, { list: UsageRecord }] });

/** `LLBBridge`. */
export const BridgeSolveRequest = new Message({
  Definition: [1, Definition],
  Frontend: [2, "string"],
  FrontendOpt: [3, TEXTS],
  CacheImports: [12, { list: CacheEntry }],
  FrontendInputs: [13, { map: Definition }],
});
const Ref = new Message({ id: [1, "string"], def: [2, Definition] });
const RefMap = new Message({ refs: [1, { map: Ref }] });
const Result = new Message({ ref: [3, Ref], refs: [4, RefMap], metadata: [10, { map: "bytes" }] });
export const BridgeSolveResponse = new Message({ ref: [1, "string"], result: [3, Result] });
const RPCStatus = new Message({ code: [1, "int32"], message: [2, "string"] });
export const ReturnRequest = new Message({ result: [1, Result], error: [2, RPCStatus] });
const APICap = new Message({ ID: [1, "string"], Enabled: [2, "bool"] });
export const PongResponse = new Message({
  FrontendAPICaps: [1, { list: APICap }],
  LLBCaps: [2, { list: APICap }],
  Workers: [3, { list: WorkerRecord }],
});

/** `FileSync.DiffCopy`: packets both ways. */
const Stat = new Message({
  path: [1, "string"],
  mode: [2, "uint32"],
  uid: [3, "uint32"],
  gid: [4, "uint32"],
  size: [5, "int64"],
  modTime: [6, "int64"],
  linkname: [7, "string"],
  xattrs: [10, { map: "bytes" }],
});
export type StatValue = MessageValue<typeof Stat>;
export const Packet = new Message({ type: [1, "int32"], stat: [2, Stat], ID: [3, "uint32"], data: [4, "bytes"] });
export const PACKET = { stat: 0, request: 1, data: 2, end: 3, error: 4 } as const;

/** `Auth.Credentials`, `Secrets.GetSecret`. */
export const CredentialsRequest = new Message({ Host: [1, "string"] });
export const CredentialsResponse = new Message({ Username: [1, "string"], Secret: [2, "string"] });
export const SecretRequest = new Message({ ID: [1, "string"] });
export const SecretResponse = new Message({ data: [1, "bytes"] });
/** `SSH.CheckAgent`. */
export const AgentRequest = new Message({ ID: [1, "string"] });
