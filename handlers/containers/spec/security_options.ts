import { parseSecurityOptions, type SecurityOptions } from "../../../lib/engine/containers/request/parse_security.ts";
import { messageOf } from "../../../lib/oci/message_of.ts";
import { RequestError } from "../../request_error.ts";

/** Reads security options as the command line has them. Throws a 400 for an unknown one. */
export function readSecurityOptions(options: readonly string[]): SecurityOptions {
  try {
    return parseSecurityOptions(options);
  } catch (error) {
    throw new RequestError("malformed", messageOf(error), { cause: error });
  }
}
