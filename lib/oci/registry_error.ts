/**
 * What registries answer when they refuse, and what goes wrong on the way to them.
 *
 * @module
 */

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

  /** The same error with text before its message. */
  within(context: string): RegistryError {
    return new RegistryError(this.code, `${context}: ${this.message}`, { status: this.status, cause: this });
  }
}
