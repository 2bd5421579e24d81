import { HTTPError, type HTTPErrorKind } from "../lib/rest/mod.ts";
import { type RequestCode, STATUSES } from "./statuses.ts";

/** Extra facts of a {@linkcode RequestError}. */
export interface RequestErrorOptions {
  /** The field or parameter that is wrong, as the client named it. */
  field?: string;
  /** The innermost text that clients match on; the message by default. */
  sentinel?: string;
  cause?: unknown;
  kind?: HTTPErrorKind;
}

/** A request that is wrong, as the handlers see it before the engine does. Its code decides the status (`statuses.ts`). */
export class RequestError extends HTTPError {
  readonly code: RequestCode;
  readonly field?: string;
  readonly sentinel: string;

  constructor(
    code: RequestCode,
    message: string,
    { field, sentinel = message, cause, kind }: RequestErrorOptions = {},
  ) {
    super(STATUSES[code], message, { cause, kind });
    this.name = "RequestError";
    this.code = code;
    this.field = field;
    this.sentinel = sentinel;
  }
}
