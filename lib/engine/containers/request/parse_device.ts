import type { DeviceSpec } from "../../records/limits.ts";
import { invalid, unsupportedField } from "../failures.ts";

const ACCESS = /^(?=[rwm])r?w?m?$|^[rwm]{1,3}$/;
/** A device of the Container Device Interface: `vendor.com/class=name`. */
const CDI = /^[^/:][^/:]*\/[^/:=]+=./;

/** Reads a device as `--device` has it: `source[:destination][:access]`. Throws `invalid` or `unsupported`. */
export function parseDevice(text: string): DeviceSpec {
  if (CDI.test(text)) throw unsupportedField("devices", `CDI device "${text}"`);
  const [source = "", second, third, ...more] = text.split(":");
  if (source === "" || more.length > 0) throw invalid(`invalid device specification: ${text}`);
  const isMode = second !== undefined && !second.startsWith("/");
  const mode = third ?? (isMode ? second : "");
  if ((isMode && third !== undefined) || (mode !== "" && !ACCESS.test(mode))) {
    throw invalid(`invalid device mode: ${isMode ? second : mode}`);
  }
  return { source, destination: !second || isMode ? source : second, access: mode || "rwm" };
}
