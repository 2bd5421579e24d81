import type { ExecutionConfig } from "../../oci/image_config.ts";
import type { ImageRecord } from "../records/image_record.ts";

/** A stage as far as it is built. */
export interface StageState {
  /** The image of the last step; none where nothing was done on `scratch`. */
  image?: Readonly<ImageRecord>;
  config: ExecutionConfig;
  author?: string;
  /** Digest of everything that went into it. */
  key: string;
  /** Values of `ARG` that this stage declared. */
  args: ReadonlyMap<string, string>;
}
