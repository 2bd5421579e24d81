import type { RestoreImages } from "../../ports/checkpoint_port.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { EngineError } from "../../errors.ts";
import { bringUp } from "../life/bring_up.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { emitNetworks } from "../networks/network_events.ts";
import { requireHost } from "../../core.ts";
import { improperState } from "../failures.ts";
import { requireDependencies } from "../life/lifecycle.ts";
import type { SameNetworks } from "../life/network.ts";
import { withState } from "../records.ts";
import type { CheckpointReport } from "./checkpoint.ts";
import { readStream } from "../../../oci/registry/body.ts";
import type { NetworkStatus } from "../../records/network_status.ts";
import { freshHealth } from "../health/begin_health.ts";

/** The most of what is told of a container's networks, in bytes. */
const STATUS_LIMIT = 1024 * 1024;

/** Options of {@linkcode restoreContainer}. */
export interface RestoreOptions extends Partial<RestoreImages> {
  /** Keep the checkpoint once it is restored. */
  keep?: boolean;
  /** Give it any address of its networks, in place of the one it had. */
  ignoreStaticIP?: boolean;
  ignoreStaticMAC?: boolean;
}

/** Brings a container back from its checkpoint: it goes on where it was frozen. */
export function restoreContainer(
  context: Context,
  nameOrID: string,
  options: RestoreOptions = {},
): Promise<CheckpointReport> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const { checkpoints } = requireHost(context.core);
    await checkpoints.check();
    const { status } = record.state;
    if (status !== "created" && status !== "exited") {
      throw improperState(`container ${id} is running or paused, cannot restore`);
    }
    if (!await checkpoints.exists(id)) {
      const sentinel = "no such file or directory";
      const text = `a complete checkpoint for this container cannot be found, cannot restore: ${sentinel}`;
      throw new EngineError("internal", text, { sentinel });
    }
    requireDependencies(context, record);
    return await restoreLocked(context, record, options);
  });
}

async function restoreLocked(
  context: Context,
  record: ContainerRecord,
  options: RestoreOptions,
): Promise<CheckpointReport> {
  const { checkpoints } = requireHost(context.core);
  const { core, records } = context;
  const { id } = record;
  const { tcpEstablished = false, tcpClose = false, fileLocks = false } = options;
  const begun = core.clock.now();
  const networks = await sameNetworks(context, record, options);
  const up = await bringUp(context, record, { restore: { tcpEstablished, tcpClose, fileLocks }, networks });
  const now = core.clock.now();
  const state = { status: "running", startedAt: now, restoredAt: now, checkpointedAt: undefined } as const;
  const running = withState(up, state);
  await records.save(running, freshHealth(context, running, "starting"));
  context.health.watch(context, running, true);
  emitNetworks(context, running, "connect");
  emitEvent(context, running, "restore");
  const statistics = await checkpoints.statistics(id);
  if (!options.keep) await checkpoints.remove(id);
  return { id, duration: Math.round((now - begun) * 1000), statistics };
}

/** The addresses the container had, for its connections and whoever knows them. */
async function sameNetworks(
  context: Context,
  record: ContainerRecord,
  { ignoreStaticIP, ignoreStaticMAC }: RestoreOptions,
): Promise<SameNetworks> {
  const file = await requireHost(context.core).checkpoints.open(record.id, "network.status");
  if (file === undefined) return {};
  // Written by the checkpoint, or come with an archive: of what is not there nothing is taken.
  const text = new TextDecoder().decode(await readStream(file, STATUS_LIMIT));
  const status = JSON.parse(text) as Partial<NetworkStatus>;
  const names = Object.keys(record.networks).filter((name) => status.interfaces?.[name] !== undefined);
  return Object.fromEntries(names.map((name) => {
    const { mac, addresses = [] } = status.interfaces![name]!;
    const staticIPs = ignoreStaticIP ? undefined : addresses.map(({ address }) => address);
    return [name, { staticIPs, mac: ignoreStaticMAC || !mac ? undefined : mac }];
  }));
}
