import { HTTPError } from "../rest/mod.ts";

/**
 * The codes of {@linkcode ClientError}.
 *
 * @example
 * ```ts
 * import type { ClientErrorCode } from "./mod.ts";
 * const isTransient = (code: ClientErrorCode) => code === "unreachable" || code === "unavailable";
 * console.assert(isTransient("unreachable"));
 * ```
 */
export type ClientErrorCode =
  /** The request makes no sense to the server (400). */
  | "invalid"
  /** The server does not know the caller (401), or does not let it (403). */
  | "unauthorized"
  | "forbidden"
  /** No such container, image or path (404). */
  | "not_found"
  /** The object is not in the right state, or in use, or a name is taken (409). */
  | "conflict"
  /** The server or this connection cannot do it (501). */
  | "unsupported"
  /** The server cannot work at the moment (503). */
  | "unavailable"
  /** No server answers at the address. */
  | "unreachable"
  /** A program ended with another exit code than 0. */
  | "exited"
  /** The container was not ready in time. */
  | "timeout"
  /** The server failed (any other status, and 500 where its text tells nothing of the above). */
  | "internal";

/** The facts of a program that ended with another exit code than 0. */
export interface ExitFacts {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The error of every failed operation of the client. An aborted signal's reason is thrown as it is instead.
 *
 * @example
 * ```ts
 * import { ClientError } from "./mod.ts";
 * const error = new ClientError("not_found", "no such container: db", { status: 404 });
 * console.assert(error.code === "not_found" && error.status === 404);
 * ```
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** The HTTP status, where a server answered. */
  readonly status: number | undefined;
  /** With code `exited`: how the program ended, and what it wrote. */
  readonly exit: ExitFacts | undefined;

  constructor(
    code: ClientErrorCode,
    message: string,
    { status, exit, cause }: { status?: number; exit?: ExitFacts; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.exit = exit;
  }
}

/** A connection that failed: before an answer, or within one. */
export class ConnectionLost extends ClientError {
  constructor(cause: Error) {
    super("unreachable", `The connection failed: ${cause.message.trim()}${remedyFor(cause.message)}`, { cause });
  }
}

/** The remedies of failures whose words, those of Deno's and Node's TLS, name none. */
const REMEDIES: readonly [RegExp, string][] = [
  [/CertificateRequired|alert certificate required/, "the server asks for a certificate: give tls.cert and tls.key"],
  [/self-signed certificate|UnknownIssuer|unable to (?:verify|get)/, "give its authority's certificate as tls.ca"],
  [/InvalidContentType|wrong version number/, "the server speaks no TLS: say http:// or tcp://"],
  [/Expected HTTP\//, "no answer in HTTP: say https:// to a server with TLS"],
];

function remedyFor(text: string): string {
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(text)) ?? [];
  return remedy === undefined ? "" : ` (${remedy})`;
}

const CODES: Partial<Record<number, ClientErrorCode>> = {
  400: "invalid",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  501: "unsupported",
  503: "unavailable",
};

/** Podman answers 500 for much that is its caller's to mend. The innermost text, by which its clients go, tells what it is. */
const TEXTS: readonly [RegExp, ClientErrorCode][] = [
  [/^no such (?:container|image|network|volume|pod|secret|exec session|quadlet|artifact)$/, "not_found"],
  [/^(?:network not found|image not known|tag not known|manifest unknown)$/, "not_found"],
  [/\balready (?:exists|in use)$|\bstate improper$|\bis being used$|\balready connected$/, "conflict"],
  [/^invalid argument$|^invalid reference format/, "invalid"],
  // Docker's tree answers 400 for a command that the image does not have.
  [/^OCI runtime attempted to invoke a command that was not found$|^OCI permission denied$/, "invalid"],
];
/** How Docker, and Podman's version of its tree, tell that a network has containers. */
const NETWORK_IN_USE = /^error while removing network: .* has active endpoints|: network is being used$/;
/** An engine that pretends says so wherever it has to stop. */
const UNSUPPORTED = /\bonly pretends\b|\bnot yet implemented\b/;

/** The code of a failure that a server tells as its own, by the end of its text; `internal` for what is. */
export function codeOfText(text: string): ClientErrorCode {
  // The text before it may quote names and commands.
  const end = text.slice(text.lastIndexOf(": ") + 1).trim();
  return TEXTS.find(([pattern]) => pattern.test(end))?.[1] ?? (UNSUPPORTED.test(text) ? "unsupported" : "internal");
}

/**
 * Runs an operation, and turns its failure into a {@linkcode ClientError} whose text begins with the action. An abort stays what it is.
 *
 * @param action The subject of the message: `Start container "db"`
 */
export async function withErrors<T>(action: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw clientError(action, error);
  }
}

/** The error of a client for any failure; see {@linkcode withErrors}. A mistake of the program stays what it is. */
export function clientError(action: string, error: unknown): unknown {
  if (error instanceof HTTPError) {
    const code = codeOfStatus(error);
    return new ClientError(code, `${action}: ${error.message}`, { status: error.status, cause: error });
  }
  if (error instanceof ConnectionLost) {
    return new ClientError("unreachable", `${action}: ${error.message}`, { cause: error });
  }
  return error;
}

/** The code of an answer by its status, and by its text where the status alone would mislead. */
function codeOfStatus(error: HTTPError): ClientErrorCode {
  if (error.status === 500) return codeOfText(innermostText(error));
  // Docker answers 403 for the removal of a network that is in use, which is no matter of rights.
  if (error.status === 403 && NETWORK_IN_USE.test(error.message)) return "conflict";
  // A proxy in front of a server says 502 and 504; the transport itself says 502 for an answer that it cannot read.
  return CODES[error.status] ?? "internal";
}

/** The cause of an answer, which Podman's tree tells beside the whole message. */
function innermostText({ cause, message }: HTTPError): string {
  return typeof cause === "string" && cause !== "" ? cause : message;
}

/** Waits for a removal, or a look; an object that is gone already is no error, and gives nothing. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 404) throw error;
  }
}

/** Waits for a start or a stop; one of what runs already, or does not run, changes nothing: 304. */
export async function unlessUnchanged(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if ((error as { status?: number }).status !== 304) throw error;
  }
}

/** The message in an engine's error as JSON, or the text of another server as it is. */
export function messageIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "message" in value) return String(value.message);
  } catch {
    // Another server's words.
  }
  return text.trim();
}
