/** The codes of {@linkcode EngineError}: what went wrong, in the engine's own words. `handlers/errors.ts` maps each to a status. */
export type ErrorCode =
  /** The request itself is wrong: a name that does not parse, an impossible option. */
  | "invalid"
  | "no_such_container"
  | "no_such_image"
  | "no_such_artifact"
  | "no_such_network"
  | "no_such_volume"
  | "no_such_pod"
  | "no_such_exec"
  /** A path, of the host or of a container, where there is nothing. */
  | "no_such_file"
  | "no_such_secret"
  | "no_such_quadlet"
  /** An ID prefix or short name fits more than one object. */
  | "ambiguous"
  /** A name is taken. */
  | "name_in_use"
  /** The object is used by another and cannot go. */
  | "in_use"
  /** The operation does not fit the object's state (stop of a created container, say). */
  | "state"
  /** The operation would change nothing: start of a running container (304 on the wire). */
  | "unchanged"
  | "unauthorized"
  | "forbidden"
  /** A registry answered with an error; `status` carries its HTTP status. */
  | "registry"
  /** Content does not match its digest or size, or breaks its format. */
  | "corrupt"
  /** A bound on foreign input was passed. */
  | "limit"
  /** The image exists but its command cannot be found or run by the runtime (exit 127 / 126 for clients). */
  | "command_not_found"
  | "command_not_executable"
  | "port_in_use"
  /** This deployment cannot do it; the message says why (501 on the wire). */
  | "unsupported"
  /** The engine cannot work at the moment: the store fails, or a helper does not answer (503 on the wire). */
  | "unavailable"
  | "cancelled"
  | "timeout"
  | "internal";

/** Extra facts of an {@linkcode EngineError}. */
export interface EngineErrorOptions {
  /** The error that raised this one; the innermost message becomes `cause` on the wire. */
  cause?: unknown;
  /** The innermost sentinel text that clients match on, as in "no such container"; the message by default. */
  sentinel?: string;
  /** The HTTP status a registry answered with, for code `registry`. */
  status?: number;
}

/** The one error the engine throws on purpose. Anything else that escapes it is a defect and answers 500. */
export class EngineError extends Error {
  readonly code: ErrorCode;
  readonly sentinel: string;
  readonly status?: number;

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EngineError";
    this.code = code;
    this.sentinel = options.sentinel ?? message;
    this.status = options.status;
  }
}

/** A request asks for something that cannot be. */
export function invalid(text: string, sentinel?: string): EngineError {
  return new EngineError("invalid", sentinel ? `${text}: ${sentinel}` : text, { sentinel });
}

/** The same error in other words: those of a caller who knows more of what was asked for. */
export function reworded(error: EngineError, message: string): EngineError {
  const { code, sentinel, status } = error;
  return new EngineError(code, message, { cause: error, sentinel, status });
}

/**
 * An error about fields of a create request. Its text names them as `ContainerSpec` does; the tree of an API that translated the
 * request has them named as its client did.
 */
export class FieldError extends EngineError {
  readonly #fields: readonly string[];
  readonly #tell: (...names: string[]) => string;
  readonly #options: EngineErrorOptions;

  /**
   * @param code What went wrong
   * @param fields The fields' paths: `oomScoreAdj`, `namespaces.pid`
   * @param tell Makes the text from the fields' names
   * @param options More facts
   */
  constructor(
    code: ErrorCode,
    fields: readonly string[],
    tell: (...names: string[]) => string,
    options: EngineErrorOptions = {},
  ) {
    super(code, tell(...fields), options);
    this.#fields = fields;
    this.#tell = tell;
    this.#options = options;
  }

  /** Returns the same error with other names for the fields; one that is not listed goes by the name of what it is part of. */
  named(names: Readonly<Record<string, string>>): EngineError {
    const text = this.#tell(...this.#fields.map((field) => nameOf(field, names)));
    return new EngineError(this.code, text, { ...this.#options, cause: this.#options.cause ?? this });
  }
}

/** `resources.cpu` is `limits.cpu` where `resources` is called `limits`. */
function nameOf(field: string, names: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(names, field)) return names[field];
  const dot = field.lastIndexOf(".");
  return dot < 0 ? field : nameOf(field.slice(0, dot), names) + field.slice(dot);
}
