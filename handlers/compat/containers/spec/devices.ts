import type { ContainerRequest } from "../../../../lib/engine/containers/request/container_request.ts";
import { deviceSpec } from "../../../../lib/engine/containers/request/parse_device.ts";
import type { StoredSpec } from "../../../../lib/engine/records/stored_spec.ts";
import { isDeviceName } from "../../../../lib/engine/text/device_names.ts";
import { RequestError } from "../../../request_error.ts";
import type { DeviceRequest, HostConfig } from "../../../wire/compat/host_config.ts";
import { dockerDeviceRule } from "./limits.ts";

/** The most devices that a request may count: a count becomes names. */
const MOST_DEVICES = 256;
/** Capabilities of the devices that are taken for GPUs. */
const GPU_CAPABILITIES = new Set([
  "gpu",
  "nvidia",
  "amd",
  "compute",
  "compat32",
  "graphics",
  "utility",
  "video",
  "display",
]);

/** Translates the devices of a request: paths, rules, names of the Container Device Interface, GPUs. */
export function dockerDevices(host: HostConfig): ContainerRequest {
  const mappings = host.Devices ?? [];
  const named = mappings.filter(({ PathOnHost }) => isDeviceName(PathOnHost));
  const paths = mappings.filter((mapping) => !named.includes(mapping));
  const requests = host.DeviceRequests ?? [];
  const cdiDevices = [...named.map(({ PathOnHost }) => PathOnHost), ...requests.filter(isByName).flatMap(namesOf)];
  const gpus = requests.filter((request) => !isByName(request)).flatMap(gpusOf);
  return {
    devices: paths.length > 0 ? paths.map(deviceOf) : undefined,
    deviceRules: host.DeviceCgroupRules?.length ? host.DeviceCgroupRules.map(dockerDeviceRule) : undefined,
    cdiDevices: cdiDevices.length > 0 ? cdiDevices : undefined,
    gpus: gpus.length > 0 ? gpus : undefined,
  };
}

/** Returns the requests of a container's devices as an inspection shows them; `null` for none. */
export function deviceRequests({ cdiDevices = [], gpus = [] }: StoredSpec): DeviceRequest[] | null {
  const isAll = gpus.length === 1 && gpus[0] === "all";
  const requests: DeviceRequest[] = [
    ...cdiDevices.length === 0
      ? []
      : [{ Driver: "cdi", Count: 0, DeviceIDs: cdiDevices, Capabilities: null, Options: null }],
    ...gpus.length === 0
      ? []
      : [{ Driver: "", Count: isAll ? -1 : 0, DeviceIDs: isAll ? null : gpus, Capabilities: [["gpu"]], Options: {} }],
  ];
  return requests.length > 0 ? requests : null;
}

function deviceOf({ PathOnHost, PathInContainer, CgroupPermissions }: NonNullable<HostConfig["Devices"]>[number]) {
  return deviceSpec({ source: PathOnHost, destination: PathInContainer, access: CgroupPermissions });
}

function isByName({ Driver }: DeviceRequest): boolean {
  return Driver === "cdi";
}

function namesOf({ Count, DeviceIDs, Options }: DeviceRequest): string[] {
  if (Count !== 0) throw requestRefused("unexpected count in CDI device request");
  if (Object.keys(Options ?? {}).length > 0) throw requestRefused("unexpected options in CDI device request");
  const wrong = DeviceIDs?.find((name) => !isDeviceName(name));
  if (wrong !== undefined) throw requestRefused(`unresolvable CDI devices ${wrong}`);
  return DeviceIDs ?? [];
}

function gpusOf({ Driver, Count, DeviceIDs, Capabilities }: DeviceRequest): string[] {
  const lists = (Capabilities ?? []).map((list) => list ?? []);
  const isGPU = lists.some((list) => list.length > 0 && list.every((name) => GPU_CAPABILITIES.has(name)));
  if (Driver === "" ? !isGPU : Driver !== "nvidia") {
    const capabilities = `[${lists.map((list) => `[${list.join(" ")}]`).join(" ")}]`;
    throw requestRefused(`could not select device driver ${JSON.stringify(Driver)} with capabilities: ${capabilities}`);
  }
  const names = DeviceIDs ?? [];
  if (names.length > 0 && Count !== 0) throw requestRefused("cannot set both Count and DeviceIDs on device request");
  if (names.length > 0) return names;
  if (Count < 0) return ["all"];
  if (Count > MOST_DEVICES) throw requestRefused(`a count of ${Count} devices: ${MOST_DEVICES} at most`);
  return Array.from({ length: Count }, (_, number) => String(number));
}

function requestRefused(text: string): RequestError {
  return new RequestError("malformed", `"HostConfig.DeviceRequests": ${text}`);
}
