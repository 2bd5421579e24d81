/**
 * Refusals of registries, and failures on the way to them.
 *
 * @module
 */
import { readBody } from "./body.ts";
import { parseChallenges } from "./challenge.ts";
import { isObject } from "../json.ts";
import { escapeUnprintable } from "../printable.ts";

/** Codes that are ours; any other is the registry's own, in capitals (`MANIFEST_UNKNOWN`, `UNAUTHORIZED`, …). */
export type ClientErrorCode =
  /** No answer: no connection, TLS refused, broken off after all retries. */
  | "unreachable"
  /** registries.conf forbids it. */
  | "blocked"
  /** Content does not match its digest or size. */
  | "corrupt"
  /** An answer larger than a bound. */
  | "limit"
  /** An answer that breaks the protocol: a bad redirect, a challenge without realm. */
  | "protocol"
  /** An HTTP error without a code in its body. */
  | "http";

/** A registry's refusal, or a failure to reach it. The message reads as containers/image words it. */
export class RegistryError extends Error {
  /** The HTTP status answered; 0 where there was no answer. */
  readonly status: number;
  /** {@linkcode ClientErrorCode} or the registry's own code. */
  readonly code: string;

  constructor(code: string, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RegistryError";
    this.status = options.status ?? 0;
    this.code = code;
  }

  /** The registry's own words, code and message, as Docker's clients show them: of whatever this error was made from. */
  get own(): string {
    if (this.cause instanceof RegistryError) return this.cause.own;
    const code = this.code.toLowerCase().replaceAll("_", " ");
    const isOurs = this.code === this.code.toLowerCase();
    return isOurs || this.message.startsWith(`${code}: `) ? this.message : `${code}: ${this.message}`;
  }

  /** The same error with text before its message. */
  within(context: string): RegistryError {
    return new RegistryError(this.code, `${context}: ${this.message}`, { status: this.status, cause: this });
  }
}

/** The usual texts of distribution's codes: said alone, since the code would only repeat them. */
const USUAL: Record<string, string> = {
  UNAUTHORIZED: "authentication required",
  DENIED: "requested access to the resource is denied",
  MANIFEST_UNKNOWN: "manifest unknown",
  NAME_UNKNOWN: "repository name not known to registry",
  NAME_INVALID: "invalid repository name",
  BLOB_UNKNOWN: "blob unknown to registry",
  TOOMANYREQUESTS: "too many requests",
  UNSUPPORTED: "The operation is unsupported.",
  UNAVAILABLE: "service unavailable",
  DIGEST_INVALID: "provided digest did not match uploaded content",
  TAG_INVALID: "manifest tag did not match URI",
  UNKNOWN: "unknown error",
};

const ERROR_BODY_LIMIT = 64 * 1024;

/** The error that an answer of status 400 or above stands for. Reads its body. */
export async function errorOf(response: Response): Promise<RegistryError> {
  const { status, statusText } = response;
  const body = await readBody(response, ERROR_BODY_LIMIT).catch(() => new Uint8Array(0));
  if (status < 400 || status >= 500) {
    const text = statusText === "" ? String(status) : `${status} ${statusText}`;
    return new RegistryError("http", `received unexpected HTTP status: ${escapeUnprintable(text)}`, { status });
  }
  const text = new TextDecoder().decode(body);
  const stated = bearerRefusal(response) ?? statedError(text);
  if (stated !== undefined) return new RegistryError(escapeUnprintable(stated.code), describeCode(stated), { status });
  if (status === 401) return new RegistryError("UNAUTHORIZED", USUAL.UNAUTHORIZED, { status });
  const start = text.length > 50 ? `${text.slice(0, 50)}...` : text;
  return new RegistryError("http", `StatusCode: ${status}, ${JSON.stringify(escapeUnprintable(start))}`, { status });
}

interface Stated {
  code: string;
  message: string;
}

/** RFC 6750, section 3.1. */
function bearerRefusal(response: Response): Stated | undefined {
  if (response.status !== 401) return undefined;
  for (const { scheme, parameters } of parseChallenges(response.headers.get("www-authenticate"))) {
    const code = scheme !== "bearer" ? undefined : BEARER_ERRORS.get(parameters.error ?? "");
    if (code !== undefined) return { code, message: parameters.error_description || USUAL[code] };
  }
  return undefined;
}

const BEARER_ERRORS = new Map([["invalid_token", "UNAUTHORIZED"], ["insufficient_scope", "DENIED"]]);

/** The first error of the body, as OCI distribution-spec "Error Codes" or Docker Hub's `details` have it. */
function statedError(text: string): Stated | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(document)) return undefined;
  if (typeof document.details === "string" && document.details !== "") {
    return { code: "UNKNOWN", message: document.details };
  }
  const first: unknown = Array.isArray(document.errors) ? document.errors[0] : undefined;
  if (!isObject(first) || typeof first.code !== "string") return undefined;
  return { code: first.code, message: typeof first.message === "string" ? first.message : "" };
}

function describeCode({ code, message }: Stated): string {
  const usual = USUAL[code.toUpperCase()];
  if (message === "" || message === usual) return usual ?? escapeUnprintable(code.toLowerCase().replaceAll("_", " "));
  return escapeUnprintable(`${code.toLowerCase().replaceAll("_", " ")}: ${message}`);
}
