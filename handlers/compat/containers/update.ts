import type { Engine } from "../../../lib/engine/engine.ts";
import { nameFieldsLater } from "../../containers/spec/name_fields.ts";
import { unsupported } from "../../containers/spec/unsupported.ts";
import { UpdateResponse } from "../../wire/compat/container_update.ts";
import type { HostConfig } from "../../wire/compat/host_config.ts";
import { emit } from "../../wire/emit.ts";
import { UPDATE_NAMES } from "./spec/docker_names.ts";
import { dockerRestartPolicy } from "./spec/restart_policy.ts";
import { checkLimits, dockerLimits } from "./spec/limits.ts";

/** Changes a container, as Docker's clients ask for it: what is 0 or empty stays as it is. */
export async function compatUpdateContainer(engine: Engine, name: string, host: HostConfig) {
  const { id } = engine.containers.resolve(name);
  if (host.Devices?.length) throw unsupported("Devices", "only at create", "Update container");
  if (host.DeviceCgroupRules?.length) throw unsupported("DeviceCgroupRules", "only at create", "Update container");
  checkLimits(host, await processorCount(engine, host));
  const { resources: { memory, ...rest }, pathLimits, rlimits } = dockerLimits(host);
  // A create defaults to swap as large as the memory; an update does not.
  const swap = host.MemorySwap === 0 ? undefined : host.MemorySwap;
  const change = {
    limits: { ...rest, memory: { ...memory, swap } },
    pathLimits,
    restartPolicy: dockerRestartPolicy(host.RestartPolicy),
    ...rlimits.length > 0 && { rlimits },
  };
  const { warnings } = await nameFieldsLater(UPDATE_NAMES, () => engine.containers.update(id, change));
  return emit(UpdateResponse, { Warnings: warnings.length > 0 ? warnings : null });
}

/** Asks for the number of processors where a request needs it. */
export async function processorCount(engine: Engine, { NanoCpus }: HostConfig): Promise<number> {
  return NanoCpus > 0 ? (await engine.info()).host?.cpus ?? 0 : 0;
}
