import { EngineError } from "../errors.ts";

/** The place of a fault in a quadlet. */
export interface QuadletPlace {
  /** The name of the file: `web.container`, or `web.container.d/10-more.conf`. */
  file: string;
  /** Counts from 1; absent where the fault is what the file lacks. */
  line?: number;
  /** The key at fault. */
  key?: string;
}

/** A quadlet that is wrong. Its text names the file, the line and the key. */
export class QuadletError extends EngineError {
  readonly place: QuadletPlace;
  /** Whether another file, such as a drop-in or a unit that comes later, may mend it: then it forbids no installation. */
  readonly isMendable: boolean;

  constructor(place: QuadletPlace, why: string, { isMendable = false }: { isMendable?: boolean } = {}) {
    const line = place.line === undefined ? "" : `:${place.line}`;
    super("invalid", `${place.file}${line}: ${place.key === undefined ? "" : `${place.key}: `}${why}`);
    this.name = "QuadletError";
    this.place = place;
    this.isMendable = isMendable;
  }
}
