import { LayerError } from "../../oci/tar/layer_error.ts";
import { RegistryError } from "../../oci/registry/registry_error.ts";
import { EngineError, type ErrorCode, reworded } from "../errors.ts";
import { messageOf } from "../../oci/message_of.ts";

/** An unknown image, as clients know it. */
export function unknownImage(name: string): EngineError {
  return new EngineError("no_such_image", `${name}: image not known`, { sentinel: "image not known" });
}

/** Whether what `find` looks for is there: `false` where it throws `no_such_image`. */
export function isThere(find: () => unknown): boolean {
  try {
    return find() !== undefined;
  } catch (error) {
    if (error instanceof EngineError && error.code === "no_such_image") return false;
    throw error;
  }
}

/** Makes an engine error of whatever a pull ran into, with `context` before its message. */
export function pullFailure(error: unknown, context?: string): EngineError {
  const message = messageOf(error);
  const text = context === undefined ? message : `${context}: ${message}`;
  if (error instanceof EngineError) {
    if (context === undefined) return error;
    return reworded(error, text);
  }
  if (error instanceof RegistryError) {
    const [sentinel] = SENTINEL.exec(message) ?? [];
    return new EngineError(registryCode(error), text, { cause: error, sentinel, status: error.status || undefined });
  }
  return new EngineError(codeOf(error), text, { cause: error });
}

/** The innermost of Go's words for what keeps a registry from being reached. */
const SENTINEL = /(?:x509: .*|connection refused|no such host)$/;

/** Returns the failure of a pull: `cancelled` where the pull was told to stop, whatever reason the signal gave. */
export function pullFailureOf(error: unknown, signal: AbortSignal): EngineError {
  const failure = pullFailure(error);
  if (!signal.aborted || failure.code === "cancelled") return failure;
  return new EngineError("cancelled", `Pull cancelled: ${failure.message}`, { cause: error });
}

/** Whether a failure means that the content itself is bad: fetching it again would give the same. */
export function isRefusal(error: EngineError): boolean {
  return error.code === "corrupt" || error.code === "limit" || error.code === "unsupported";
}

function registryCode({ code }: RegistryError): ErrorCode {
  if (code === "corrupt" || code === "limit") return code;
  return "registry";
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof LayerError) return error.code === "unsafe" ? "corrupt" : error.code;
  // Parsers of manifests and configs throw these two.
  if (error instanceof SyntaxError) return "corrupt";
  if (error instanceof RangeError) return "limit";
  if (error instanceof DOMException && error.name === "AbortError") return "cancelled";
  if (error instanceof DOMException && error.name === "TimeoutError") return "timeout";
  return "internal";
}
