import type { DeviceSpec } from "../../records/limits.ts";
import { invalid, unsupportedField } from "../failures.ts";

const ACCESS = /^(?=[rwm])r?w?m?$|^[rwm]{1,3}$/;
/** A device of the Container Device Interface: `vendor.com/class=name`. */
const CDI = /^[^/:][^/:]*\/[^/:=]+=./;

/** A device by its parts. */
export interface DeviceWords {
  source: string;
  /** Empty: the same as the source. */
  destination: string;
  /** Some of `r`, `w` and `m`; empty: all of them. */
  access: string;
}

/** Makes a device. Throws `invalid` for parts that cannot be, and `unsupported` for one that a driver would have to find. */
export function deviceSpec({ source, destination, access }: DeviceWords): DeviceSpec {
  if (CDI.test(source)) throw unsupportedField("devices", `CDI device "${source}"`);
  if (source === "" || (destination !== "" && !destination.startsWith("/"))) {
    throw invalid(`invalid device specification: ${[source, destination, access].join(":")}`);
  }
  if (access !== "" && !ACCESS.test(access)) throw invalid(`invalid device mode: ${access}`);
  return { source, destination: destination || source, access: access || "rwm" };
}

/** Reads a device as `--device` has it: `source[:destination][:access]`. Throws like {@linkcode deviceSpec}. */
export function parseDevice(text: string): DeviceSpec {
  if (CDI.test(text)) throw unsupportedField("devices", `CDI device "${text}"`);
  const [source = "", second = "", third, ...more] = text.split(":");
  if (more.length > 0) throw invalid(`invalid device specification: ${text}`);
  const isMode = second !== "" && !second.startsWith("/");
  if (isMode && third !== undefined) throw invalid(`invalid device mode: ${second}`);
  return deviceSpec({ source, destination: isMode ? "" : second, access: third ?? (isMode ? second : "") });
}
