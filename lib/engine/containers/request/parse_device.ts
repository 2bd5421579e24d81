import type { DeviceSpec } from "../../records/limits.ts";
import { isDeviceName } from "../../text/device_names.ts";
import { invalid } from "../../errors.ts";

const ACCESS = /^(?=[rwm])r?w?m?$|^[rwm]{1,3}$/;

/** A device by its parts. */
export interface DeviceWords {
  source: string;
  /** Empty: the same as the source. */
  destination: string;
  /** Some of `r`, `w` and `m`; empty: all of them. */
  access: string;
}

/** Makes a device. Throws `invalid` for parts that cannot be. */
export function deviceSpec({ source, destination, access }: DeviceWords): DeviceSpec {
  if (source === "" || (destination !== "" && !destination.startsWith("/"))) {
    throw invalid(`invalid device specification: ${[source, destination, access].join(":")}`);
  }
  if (access !== "" && !ACCESS.test(access)) throw invalid(`invalid device mode: ${access}`);
  return { source, destination: destination || source, access: access || "rwm" };
}

/** Reads a device as `--device` has it: `source[:destination][:access]`. Throws like {@linkcode deviceSpec}. */
export function parseDevice(text: string): DeviceSpec {
  const [source = "", second = "", third, ...more] = text.split(":");
  if (more.length > 0) throw invalid(`invalid device specification: ${text}`);
  const isMode = second !== "" && !second.startsWith("/");
  if (isMode && third !== undefined) throw invalid(`invalid device mode: ${second}`);
  return deviceSpec({ source, destination: isMode ? "" : second, access: third ?? (isMode ? second : "") });
}

/** Reads what `--device` was given: devices, and names of the Container Device Interface (`vendor.com/class=name`). */
export function parseDevices(texts: readonly string[]): { devices: DeviceSpec[]; cdiDevices: string[] } {
  return {
    devices: texts.filter((text) => !isDeviceName(text)).map(parseDevice),
    cdiDevices: texts.filter(isDeviceName),
  };
}
