import type { ContainerSpec, RLimit } from "../../../lib/engine/records/container_record.ts";
import { parseCgroupsMode } from "../../../lib/engine/containers/request/parse_choices.ts";
import { parseDevices } from "../../../lib/engine/containers/request/parse_device.ts";
import {
  cleanLimits,
  type DeviceRule,
  type Limits,
  limitSwap,
  type PathLimits,
  THROTTLES,
} from "../../../lib/engine/records/limits.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";

/** Returns the limits and devices of a create request. */
export function resourceSpec(
  generator: SpecGenerator,
): Pick<
  ContainerSpec,
  | "resources"
  | "pathLimits"
  | "devices"
  | "cdiDevices"
  | "gpus"
  | "devicesFrom"
  | "deviceRules"
  | "cgroupsMode"
  | "cgroupParent"
  | "rlimits"
> {
  const { devices = [], host_device_list: listed = [] } = generator;
  const asked = parseDevices((devices.length > 0 ? devices : listed).map(({ path }) => path));
  return {
    resources: limitSwap(requestedLimits(generator)),
    pathLimits: pathLimits(generator),
    devices: some(asked.devices),
    cdiDevices: some(asked.cdiDevices),
    gpus: some(generator.gpus),
    devicesFrom: some(generator.devices_from),
    // A rule that takes something away is not one that Podman knows.
    deviceRules: some(generator.device_cgroup_rule?.map((rule) => deviceRule({ ...rule, allow: true }))),
    cgroupsMode: parseCgroupsMode(generator.cgroups_mode ?? ""),
    cgroupParent: generator.cgroup_parent || undefined,
    rlimits: (generator.r_limits ?? []).map(fullLimit),
  };
}

/** A limit under its full name. */
export function fullLimit({ type, soft, hard }: { type: string; soft: bigint; hard: bigint }): RLimit {
  const name = type.toUpperCase();
  return { type: name.startsWith("RLIMIT_") ? name : `RLIMIT_${name}`, soft, hard };
}

function some<T>(list: T[] | undefined): T[] | undefined {
  return list?.length ? list : undefined;
}

/** Returns the limits of a create request, of a container or a pod. */
export function requestedLimits(generator: Pick<SpecGenerator, "resource_limits" | "unified">): Limits {
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

/** -1 and null stand for every number. */
function deviceRule({ allow, type, major, minor, access }: DeviceRule): DeviceRule {
  const number = (name: "major" | "minor", value?: number | null) => (value ?? -1) < 0 ? {} : { [name]: value };
  return { allow, ...type && { type }, ...number("major", major), ...number("minor", minor), access: access || "rwm" };
}
