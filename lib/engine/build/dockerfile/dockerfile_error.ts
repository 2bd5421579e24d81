import { EngineError } from "../../errors.ts";

/** An error in a Dockerfile. Its text begins as Docker's does, and ends with the place: `(Dockerfile:3)`. */
export class DockerfileError extends EngineError {
  /** Counted from 1. */
  readonly line: number;

  constructor(why: string, place: { file: string; line: number }) {
    super("invalid", `dockerfile parse error on line ${place.line}: ${why} (${place.file}:${place.line})`);
    this.name = "DockerfileError";
    this.line = place.line;
  }
}
