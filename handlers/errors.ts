import { EngineError } from "../lib/engine/errors.ts";
import { printableLines } from "../lib/oci/printable.ts";
import { type ErrorCodec, HTTPError } from "../lib/rest/mod.ts";
import { absentOperation } from "./absent.ts";
import { RequestError } from "./request_error.ts";
import { statusOfCode, UNREADABLE } from "./statuses.ts";
import { errorModel, wireErrors } from "./wire/error_model.ts";
import { messageOf } from "../lib/oci/message_of.ts";

<<<<<<< HEAD
/** The status each of the engine's codes answers. */
const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  no_such_container: 404,
  no_such_image: 404,
  no_such_artifact: 404,
  no_such_network: 404,
  no_such_volume: 404,
  no_such_exec: 404,
  no_such_file: 404,
  no_such_secret: 404,
  ambiguous: 404,
  name_in_use: 409,
  in_use: 409,
  state: 500,
  unchanged: 304,
  unauthorized: 401,
  forbidden: 403,
  registry: 500,
  corrupt: 500,
  limit: 500,
  command_not_found: 500,
  command_not_executable: 500,
  port_in_use: 500,
  unsupported: 501,
  cancelled: 500,
  timeout: 500,
  internal: 500,
};

/** The operations that answer a code with another status, as Podman does. */
const EXCEPTIONS: Record<string, Partial<Record<ErrorCode, number>>> = {
  // Clients take a 404 of a create for an image to be pulled.
  CreateContainer: {
    invalid: 500,
    no_such_secret: 500,
    no_such_artifact: 500,
    name_in_use: 500,
    no_such_container: 500,
    no_such_network: 500,
    limit: 400,
  },
  CompatCreateContainer: { limit: 400, invalid: 500, no_such_container: 500, no_such_network: 500 },
  CreateVolume: { invalid: 500, name_in_use: 500, limit: 400 },
  CompatCreateVolume: { invalid: 500, limit: 400 },
  ListVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  CompatListVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  PruneVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  CompatPruneVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  CreateSecret: { name_in_use: 500, limit: 400 },
  CompatCreateSecret: { limit: 400 },
  CreateNetwork: { invalid: 500 },
  ListNetworks: { invalid: 500 },
  UpdateNetwork: { invalid: 500, no_such_network: 500 },
  RemoveNetwork: { in_use: 500, ambiguous: 500 },
  Connect: { forbidden: 500, in_use: 500, invalid: 500 },
  Prune: { invalid: 500 },
  CompatCreateNetwork: { invalid: 500 },
  CompatListNetworks: { invalid: 500 },
  CompatRemoveNetwork: { in_use: 500, invalid: 500, ambiguous: 500 },
  CompatConnect: { in_use: 500, invalid: 500 },
  CompatPrune: { invalid: 500 },
  InitContainer: { state: 304 },
  ExecCreateHandler: { state: 409, invalid: 500, limit: 400 },
  ExecStartHandler: { state: 409, invalid: 500 },
  KillContainer: { state: 409, ambiguous: 500 },
  ResizeTTY: { state: 409 },
  RemoveContainer: { ambiguous: 500 },
  RestartContainer: { ambiguous: 500 },
  ListContainers: { invalid: 500 },
  PruneContainers: { invalid: 500 },
  TopContainer: { invalid: 500 },
  ListSecrets: { invalid: 500 },
  CompatListContainers: { invalid: 500 },
  CompatPruneContainers: { invalid: 500 },
  CompatTopContainer: { invalid: 500 },
  CompatListSecrets: { invalid: 500 },
  RunHealthCheck: { state: 409 },
  UpdateContainer: { limit: 400 },
  CompatUpdateContainer: { limit: 400 },
  WaitContainer: { ambiguous: 500 },
  ManifestCreate: { name_in_use: 500 },
  ManifestCreateV3: { name_in_use: 500 },
  CompatExecCreateHandler: { state: 409, invalid: 500, limit: 400 },
  CompatExecStartHandler: { state: 409, invalid: 500 },
  CompatKillContainer: { state: 409, ambiguous: 500 },
  CompatResizeTTY: { state: 409 },
  CompatRemoveContainer: { ambiguous: 500 },
  CompatRestartContainer: { ambiguous: 500 },
  CompatWaitContainer: { ambiguous: 500 },
  CompatRemoveImage: { state: 409 },
  ImageScp: { invalid: 500 },
  AddArtifact: { name_in_use: 500 },
  AddLocalArtifact: { name_in_use: 500 },
};

/** Operations that answer 500 where a query does not parse, as Podman does. */
const UNREADABLE = new Set([
  "ListContainers",
  "PruneContainers",
  "ListSecrets",
  "CompatListContainers",
  "CompatPruneContainers",
  "CompatListSecrets",
]);

=======
>>>>>>> records
/** How errors look on the wire, the engine's own by the table above. */
export const engineErrors: ErrorCodec = {
  ...wireErrors,
  // Any text of an error may quote a registry, an image or a caller, and clients print it as it is.
  encode(error, context) {
    const { body, ...rest } = encodeError(error, context);
    return { ...rest, body: printableTexts(body) };
  },
};

const encodeError: ErrorCodec["encode"] = (error, context) => {
  if (error instanceof HTTPError && error.kind === "route") {
    const absent = absentOperation(context.request);
    if (absent) return absent;
  }
  if (error instanceof HTTPError && error.kind === "argument" && UNREADABLE.has(context.name ?? "")) {
    return errorModel(500, error.message, unconverted(error.message));
  }
  if (isFullDisk(error)) return errorModel(500, "no space left on device");
  if (!(error instanceof EngineError || error instanceof RequestError)) return wireErrors.encode(error, context);
  return errorModel(statusOf(error, context.name), error.message, error.sentinel);
};

/** The same value with every text in it fit to be shown. */
function printableTexts(value: unknown): unknown {
  if (typeof value === "string") return printableLines(value);
  if (Array.isArray(value)) return value.map(printableTexts);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, printableTexts(item)]));
}

/** What Podman's reader of queries says of the parameter that a message of the transport's names. */
function unconverted(message: string): string | undefined {
  const name = /(?:^Read|: at) "([^"]+)": "/.exec(message)?.[1];
  return name && `schema: error converting value for "${name}"`;
}

/** The one failure of a host that its users can do something about, as the file system or the database tell of it. */
function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof EngineError || error instanceof RequestError) return false;
  return ("code" in error && error.code === "ENOSPC") || error.message.includes("database or disk is full");
}

/** The status that an error answers from an operation. */
export function statusOf(error: EngineError | RequestError, operation = ""): number {
  // A registry's own status goes through, as long as it is one of failure.
  if (error.code === "registry" && error.status !== undefined && error.status >= 400) return error.status;
  return statusOfCode(error.code, operation);
}

/** A 400 for a query parameter whose value makes no sense. */
export function badParameter(name: string, value: string, cause: unknown): RequestError {
  const why = messageOf(cause);
  return new RequestError("malformed", `failed to parse query parameter '${name}': "${value}": ${why}`, {
    field: name,
    cause,
    kind: "argument",
  });
}
