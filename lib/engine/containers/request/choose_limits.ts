import type { ContainerDefaults } from "../../records/container_defaults.ts";
import type { ContainerSpec } from "../../records/container_record.ts";
import type { Limits } from "../../records/limits.ts";
import type { ContainerRequest } from "./container_request.ts";
import { parseCgroupsMode } from "./parse_choices.ts";

/** Chooses the limits that a request leaves open. */
export function chooseLimits(
  { resources = {}, rlimits = [], ...request }: ContainerRequest,
  owner: ContainerDefaults,
): Pick<ContainerSpec, "cgroupsMode" | "oomScoreAdj" | "resources" | "rlimits"> {
  const cgroupsMode = request.cgroupsMode ?? parseCgroupsMode(owner.cgroups ?? "");
  const types = new Set(rlimits.map(({ type }) => type));
  const setsPIDs = owner.pidsLimit !== undefined && cgroupsMode !== "disabled" && !resources.pids?.limit;
  const chosen: Limits = {
    ...resources,
    ...owner.cgroupFiles && { unified: { ...owner.cgroupFiles, ...resources.unified } },
    ...setsPIDs && { pids: { limit: pidsLimit(owner.pidsLimit) } },
  };
  return {
    // Absent stands for it.
    cgroupsMode: cgroupsMode === "enabled" ? undefined : cgroupsMode,
    oomScoreAdj: request.oomScoreAdj ?? owner.oomScoreAdj,
    resources: chosen,
    rlimits: [...(owner.ulimits ?? []).filter(({ type }) => !types.has(type)), ...rlimits],
  };
}

/** -1 stands for no limit. */
function pidsLimit(limit = 0): number {
  return limit > 0 ? limit : -1;
}
