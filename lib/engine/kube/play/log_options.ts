import type { MemberRequest } from "../../containers/request/container_request.ts";
import { EngineError, reworded } from "../../errors.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import type { PlayOptions } from "./play_options.ts";

/** Returns the settings of a container's log. Throws `invalid` for an option without a value. */
export function logFields({ logDriver, logOptions = [] }: PlayOptions): MemberRequest {
  const fields: MemberRequest & { logOptions: Record<string, string> } = { logOptions: {} };
  if (logDriver) fields.logDriver = logDriver;
  for (const option of logOptions) {
    const [key, value] = option.split(/=(.*)/s);
    if (!value) throw new EngineError("invalid", `invalid log option "${option}"`);
    if (key === "driver") fields.logDriver = value;
    else if (key === "path") fields.logPath = value;
    else if (key === "max-size") fields.logSizeMax = logSize(value);
    else fields.logOptions[key] = value;
  }
  return fields;
}

/** Reads a log's size, whose units count in thousands. */
function logSize(text: string): number {
  try {
    return parseByteSize(text, 1000);
  } catch (error) {
    throw error instanceof EngineError ? reworded(error, `invalid log option "max-size": ${error.message}`) : error;
  }
}
