import type { MemberRequest } from "../../containers/request/container_request.ts";
import { EngineError } from "../../errors.ts";
import type { PlayOptions } from "./play_options.ts";

/** Factors of sizes as Docker's units have them: of a thousand. */
const UNITS = "bkmgtp";

/** Returns the settings of a container's log. Throws `invalid` for an option without a value. */
export function logFields({ logDriver, logOptions = [] }: PlayOptions): MemberRequest {
  const fields: MemberRequest & { logOptions: Record<string, string> } = { logOptions: {} };
  if (logDriver) fields.logDriver = logDriver;
  for (const option of logOptions) {
    const [key, value] = option.split(/=(.*)/s);
    if (!value) throw new EngineError("invalid", `invalid log option "${option}"`);
    if (key === "driver") fields.logDriver = value;
    else if (key === "path") fields.logPath = value;
    else if (key === "max-size") fields.logSizeMax = parseSize(value);
    else fields.logOptions[key] = value;
  }
  return fields;
}

function parseSize(text: string): number {
  const [, number, unit = "b"] = /^(\d{1,12}(?:\.\d{1,6})?) ?([bkmgtp])?b?$/i.exec(text) ?? [];
  if (number === undefined) throw new EngineError("invalid", `invalid log option "max-size=${text}": it is no size`);
  return Math.floor(Number(number) * 1000 ** UNITS.indexOf(unit.toLowerCase()));
}
