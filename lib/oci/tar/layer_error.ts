/** Why a layer was refused. */
export type LayerErrorCode =
  /** It breaks the tar format, or ends early. */
  | "corrupt"
  /** It reaches, or tries to reach, outside its own tree. */
  | "unsafe"
  /** It passes a limit. */
  | "limit"
  /** It is tar, but of a kind that layers do not use. */
  | "unsupported";

/** A layer tar, or an archive of images, that was refused. */
export class LayerError extends Error {
  readonly code: LayerErrorCode;

  constructor(code: LayerErrorCode, message: string, action = "Read layer") {
    super(`${action}: ${message}`);
    this.name = "LayerError";
    this.code = code;
  }
}
