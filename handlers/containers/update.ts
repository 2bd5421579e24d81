import type { Engine } from "../../lib/engine/engine.ts";
import type { RestartPolicy } from "../../lib/engine/records/container_record.ts";
import type { ThrottleDevice, UpdateEntities } from "../wire/containers/container_update.ts";
import { nameFieldsLater } from "./spec/name_fields.ts";
import { restartPolicy } from "./spec/restart_policy.ts";
import { fullLimit } from "./spec/resources.ts";
import { unsupported } from "./spec/unsupported.ts";
import { healthChange } from "./update_health.ts";
import { RequestError } from "../request_error.ts";

/** The parts of the limits are fields of their own here. */
const UPDATE_NAMES = Object.fromEntries(
  ["memory", "cpu", "pids", "blockIO", "hugepageLimits", "network", "rdma"].map((part) => [`resources.${part}`, part]),
);

/** Changes a container. Gives its ID. */
export async function updateContainer(
  engine: Engine,
  name: string,
  query: { restartPolicy?: string; restartRetries?: number },
  entities: UpdateEntities,
): Promise<string> {
  const { devices = [], memory, cpu, pids, blockIO, hugepageLimits, network, rdma, unified } = entities;
  const { id } = engine.containers.resolve(name);
  // Rules of devices are replaced as a whole: nobody who changes a limit means to take every device away.
  if (devices.length > 0) throw unsupported("devices", "only at create", "Update container");
  const health = healthChange(entities);
  const restart = policy(query);
  if (health) await engine.containers.setHealth(id, health);
  await nameFieldsLater(UPDATE_NAMES, () =>
    engine.containers.update(id, {
      limits: { memory, cpu, pids, blockIO, hugepageLimits, network, rdma, unified },
      pathLimits: {
        weightDevice: Object.fromEntries(
          (entities.BlkIOWeightDevice ?? []).map(({ Path, Weight }) => [Path, { weight: Weight }]),
        ),
        throttleReadBpsDevice: ratesByPath(entities.DeviceReadBPs),
        throttleWriteBpsDevice: ratesByPath(entities.DeviceWriteBPs),
        throttleReadIOPSDevice: ratesByPath(entities.DeviceReadIOPs),
        throttleWriteIOPSDevice: ratesByPath(entities.DeviceWriteIOPs),
      },
      restartPolicy: restart,
      env: entities.Env ?? [],
      unsetEnv: entities.UnsetEnv ?? [],
      rlimits: entities.r_limits?.map(fullLimit),
      // There is no place for a warning in the reply.
      strict: true,
    }));
  return id;
}

function ratesByPath(list: readonly ThrottleDevice[] = []): Record<string, number> {
  return Object.fromEntries(list.map(({ Path, Rate }) => [Path, Rate]));
}

function policy(
  { restartPolicy: name = "", restartRetries = 0 }: { restartPolicy?: string; restartRetries?: number },
): RestartPolicy | undefined {
  if (restartRetries !== 0 && name !== "on-failure") {
    const why = name === "" ? "is set" : "is on-failure";
    throw new RequestError("malformed", `cannot set restart retries unless restart policy ${why}`);
  }
  return restartPolicy(name, restartRetries);
}
