import type { CgroupsMode, ContainerSpec, RLimit } from "../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import {
  cleanLimits,
  type DeviceRule,
  type DeviceSpec,
  type Limits,
  type PathLimits,
  THROTTLES,
} from "../../../lib/engine/records/limits.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { unsupported } from "./unsupported.ts";

const CGROUPS_MODES: readonly CgroupsMode[] = ["enabled", "no-conmon", "disabled"];

/** Returns the limits and devices of a create request. */
export function resourceSpec(
  generator: SpecGenerator,
): Pick<
  ContainerSpec,
  "resources" | "pathLimits" | "devices" | "devicesFrom" | "deviceRules" | "cgroupsMode" | "cgroupParent" | "rlimits"
> {
  const { devices = [], host_device_list: listed = [] } = generator;
  return {
    resources: limits(generator),
    pathLimits: pathLimits(generator),
    devices: some((devices.length > 0 ? devices : listed).map(({ path }) => device(path))),
    devicesFrom: some(generator.devices_from),
    // A rule that takes something away is not one that Podman knows.
    deviceRules: some(generator.device_cgroup_rule?.map((rule) => deviceRule({ ...rule, allow: true }))),
    cgroupsMode: cgroupsMode(generator),
    cgroupParent: generator.cgroup_parent || undefined,
    rlimits: (generator.r_limits ?? []).map(rlimit),
  };
}

/** A limit under its full name. */
export function rlimit({ type, soft, hard }: { type: string; soft: bigint; hard: bigint }): RLimit {
  const name = type.toUpperCase();
  return { type: name.startsWith("RLIMIT_") ? name : `RLIMIT_${name}`, soft, hard };
}

function some<T>(list: T[] | undefined): T[] | undefined {
  return list?.length ? list : undefined;
}

function limits(generator: SpecGenerator): Limits {
  const { devices = [], ...limits } = generator.resource_limits ?? {};
  const unified = { ...limits.unified, ...generator.unified };
  return cleanLimits({ ...limits, unified, devices: devices.map(deviceRule) });
}

function pathLimits(generator: SpecGenerator): PathLimits | undefined {
  const rates = THROTTLES.map((field) =>
    [field, Object.fromEntries(Object.entries(generator[field] ?? {}).map(([path, { rate }]) => [path, rate]))] as const
  );
  const all = { weightDevice: generator.weightDevice ?? {}, ...Object.fromEntries(rates) };
  return Object.values(all).some((table) => Object.keys(table).length > 0) ? all : undefined;
}

const ACCESS = /^(?=[rwm])r?w?m?$|^[rwm]{1,3}$/;
/** A device of the Container Device Interface: `vendor.com/class=name`. */
const CDI = /^[^/:][^/:]*\/[^/:=]+=./;

/** A device as `--device` has it: `source[:destination][:access]`. */
function device(text: string): DeviceSpec {
  if (CDI.test(text)) throw unsupported("devices", `CDI device "${text}"`);
  const [source = "", second, third, ...more] = text.split(":");
  if (source === "" || more.length > 0) throw new EngineError("invalid", `invalid device specification: ${text}`);
  const isMode = second !== undefined && !second.startsWith("/");
  const mode = third ?? (isMode ? second : "");
  if ((isMode && third !== undefined) || (mode !== "" && !ACCESS.test(mode))) {
    throw new EngineError("invalid", `invalid device mode: ${isMode ? second : mode}`);
  }
  return { source, destination: !second || isMode ? source : second, access: mode || "rwm" };
}

/** -1 and null stand for every number. */
function deviceRule({ allow, type, major, minor, access }: DeviceRule): DeviceRule {
  const number = (name: "major" | "minor", value?: number | null) => (value ?? -1) < 0 ? {} : { [name]: value };
  return { allow, ...type && { type }, ...number("major", major), ...number("minor", minor), access: access || "rwm" };
}

function cgroupsMode({ cgroups_mode: mode }: SpecGenerator): CgroupsMode | undefined {
  if (!mode || mode === "enabled") return undefined;
  const known = CGROUPS_MODES.find((one) => one === mode);
  if (known !== undefined) return known;
  // It divides the cgroup of the client, which a service is not in.
  if (mode === "split") throw unsupported("cgroups_mode", '"split" needs a client in the same cgroup');
  throw new EngineError("invalid", `invalid cgroup mode ${mode}: invalid argument`, { sentinel: "invalid argument" });
}
