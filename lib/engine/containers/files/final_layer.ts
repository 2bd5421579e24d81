import type { NewLayer } from "../../images/ingest/ingest.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { streamThen } from "../../../oci/bytes/byte_stream.ts";
import { type Context, isLive, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { removedMeanwhile } from "./held_tree.ts";

/**
 * The changes of a container that will be removed next, as a layer. Where nothing else uses its tree, it counts as being removed
 * from now on, and its files become the layer's; `undefined` where they cannot.
 *
 * @param mounted Absolute paths where something was mounted: what was made for that alone is left out
 */
export async function finalLayer(
  context: Context,
  nameOrID: string,
  mounted: readonly string[],
): Promise<NewLayer | undefined> {
  const { layers, trees } = requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  const record = await withContainerLock(context, id, () => claimTree(context, id));
  if (record === undefined) return undefined;
  await layers.requireRoom(await layers.usage(id), "Read changes");
  const { layerEntries: entries } = context.core.options.limits;
  const { diffIDs } = record;
  const { tar, writeTo, isExact } = trees.finalChangeset(id, { mounted: { paths: mounted, diffIDs }, entries });
  // A removal holds the lock from its beginning to its end.
  const whileThere = <T>(work: () => T | Promise<T>) =>
    withContainerLock(context, id, () => {
      if (context.records.get(id) === undefined) throw removedMeanwhile(id, "read");
      return work();
    });
  return {
    tar: streamThen(tar, async (how) => {
      if (how === "ended") await whileThere(() => {});
    }),
    writeTo: async function* (path, signal) {
      yield* writeTo(path, signal);
      await whileThere(() => {});
    },
    adopt: (diffID) => whileThere(async () => await isExact() && await layers.adopt(id, diffID)),
  };
}

/** Marks a container that nothing uses as one that is being removed: nobody starts or mounts it any more. */
async function claimTree({ records, treeUses }: Context, id: string): Promise<ContainerRecord | undefined> {
  const record = records.require(id);
  const { spec, idMaps, state } = record;
  // Owners of such files are the host's, and files that count towards a limit stay with it.
  const isOthers = idMaps !== undefined || spec.rootfs !== undefined || spec.treeLimit !== undefined;
  // A process that outlives the container might still write.
  const mayOutlive = spec.namespaces.pid.mode !== "private";
  if (isOthers || mayOutlive || isLive(record) || state.status === "removing" || treeUses.isUsed(id)) return undefined;
  return await records.saveState(record, { status: "removing" });
}
