import { LayerError } from "../../../oci/tar/layer_error.ts";
import { EngineError } from "../../errors.ts";

/** Returns the failure of a context whose archive, or a path in it, is no good, in the words of builds; any other as it is. */
export function contextFailure(error: unknown): unknown {
  if (!(error instanceof LayerError)) return error;
  return new EngineError("invalid", error.message.replace(/^Read archive/, "Read build context"), { cause: error });
}
