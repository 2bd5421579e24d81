import type { Engine } from "../../../lib/engine/engine.ts";
import { resourceSpec } from "../../containers/spec/resources.ts";
import { restartPolicy } from "../../containers/spec/restart_policy.ts";
import { unsupported } from "../../containers/spec/unsupported.ts";
import { UpdateResponse } from "../../wire/compat/container_update.ts";
import type { HostConfig } from "../../wire/compat/host_config.ts";
import { accept } from "../../wire/decode.ts";
import { emit } from "../../wire/emit.ts";
import { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { limits } from "./spec/limits.ts";

/** Changes a container, as Docker's clients ask for it: what is 0 or empty stays as it is. */
export async function compatUpdateContainer(engine: Engine, name: string, host: HostConfig) {
  const { id } = engine.containers.resolve(name);
  if (host.Devices?.length) throw unsupported("Devices", "only at create");
  if (host.DeviceCgroupRules?.length) throw unsupported("DeviceCgroupRules", "only at create");
  const { resources: { memory, ...rest }, pathLimits, rlimits } = resourceSpec(
    accept(SpecGenerator, limits({ HostConfig: host })),
  );
  // A create defaults to swap as large as the memory; an update does not.
  const swap = host.MemorySwap === 0 ? undefined : host.MemorySwap;
  const { Name, MaximumRetryCount } = host.RestartPolicy;
  const { warnings } = await engine.containers.update(id, {
    limits: { ...rest, memory: { ...memory, swap } },
    pathLimits,
    restartPolicy: restartPolicy(Name, MaximumRetryCount),
    ...rlimits.length > 0 && { rlimits },
  });
  return emit(UpdateResponse, { Warnings: warnings.length > 0 ? warnings : null });
}
