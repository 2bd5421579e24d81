import type { ExecutionConfig } from "../../oci/image_config.ts";
import type { ImageRecord } from "../records/image_record.ts";

/** A step that is done. */
export interface StageStep {
  /** Digest of everything that went into it. */
  key: string;
  /** The ID of its image. */
  image: string;
  /** The repository that it was taken from. */
  repository?: string;
}

/** A stage as far as it is built. */
export interface StageState {
  /** The image of the last step; none where nothing was done on `scratch`. */
  image?: Readonly<ImageRecord>;
  config: ExecutionConfig;
  author?: string;
  /** Digest of everything that went into it. */
  key: string;
  /** Its steps in order, but for those of its base image. */
  steps: readonly StageStep[];
  /** A step was in no shared cache: nor are those after it. */
  isUnshared?: boolean;
  /** Values of `ARG` that this stage declared. */
  args: ReadonlyMap<string, string>;
}
