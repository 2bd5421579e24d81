import type { ContainerSpec } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";

/** How many processes a container has at most where nothing was said. */
const PIDS_LIMIT = 2048;

/** The spec with the limits and devices that the host can give, and warnings of what it cannot. */
export async function grantResources(
  context: Context,
  { pathLimits, devicesFrom = [], ...spec }: ContainerSpec,
): Promise<{ granted: ContainerSpec; warnings: string[] }> {
  const borrowed = devicesFrom.flatMap((name) => context.records.resolve(name).spec.devices ?? []);
  // One at each place, the container's own before a borrowed one.
  const places = new Map([...borrowed, ...spec.devices ?? []].map((device) => [device.destination, device]));
  const devices = [...places.values()];
  const { limits, blockDevices, warnings, withoutPids } = await requireHost(context.core).resources.grant({
    limits: spec.resources,
    pathLimits,
    devices,
    rlimits: spec.rlimits,
    cgroupsMode: spec.cgroupsMode,
  });
  const pids = withoutPids || spec.cgroupsMode === "disabled" ? {} : { pids: { limit: PIDS_LIMIT } };
  return { granted: { ...spec, resources: { ...pids, ...limits }, blockDevices, devices }, warnings };
}
