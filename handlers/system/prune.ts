import type { Engine } from "../../lib/engine/engine.ts";
import { pruneContainers, pruneReport } from "../containers/prune.ts";
import { prune as pruneImages } from "../images/prune.ts";
import { podPruneHelper } from "../pods/prune.ts";
import type { PodPruneReport } from "../wire/pods/pod.ts";
import { networkPruneReport } from "../networks/view.ts";
import { RequestError } from "../request_error.ts";
import { volumePruneReport } from "../volumes/view.ts";
import { PruneReport } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import { type SystemPruneQuery, SystemPruneReport } from "../wire/system/prune.ts";

/**
 * Removes what nothing uses: pods and containers that do not run, images, networks, and volumes where they are asked for. It begins
 * again while something went: an image may have kept another, and a container its image. `build` is about containers of
 * builds, of which there are none.
 *
 * Source: `SystemPrune` of Podman's `pkg/domain/infra/abi`.
 */
export async function pruneSystem(
  engine: Engine,
  { all, volumes, external, build, filters = {} }: SystemPruneQuery,
): Promise<SystemPruneReport> {
  if (external) {
    if (all || volumes || build || Object.keys(filters).length > 0) {
      throw new RequestError("refused", "system prune --external cannot be combined with other options");
    }
    await engine.images.sweep();
    return emit(SystemPruneReport, {});
  }
  const pods = new Map<string, PodPruneReport>();
  const containers = new Map<string, PruneReport>();
  const images = new Map<string, PruneReport>();
  const networks = new Map<string, ReturnType<typeof networkPruneReport>>();
  const pruned = new Map<string, PruneReport>();
  const isFiltered = Object.keys(filters).length > 0;
  // An object that could not go is told of once.
  for (let before = -1, count = 0; count > before;) {
    before = count;
    for (const report of await podPruneHelper(engine, filters)) pods.set(report.Id, report);
    for (const report of await pruneContainers(engine, filters)) containers.set(report.id, pruneReport(report));
    for (const { id, size } of await pruneImages(engine, all ? filters : { ...filters, dangling: ["true"] })) {
      images.set(id, emit(PruneReport, { Id: id, Size: size }));
    }
    for (const report of await engine.containers.networks.prune(filters)) {
      networks.set(report.name, networkPruneReport(report));
    }
    if (volumes) {
      const gone = await engine.volumes.prune(isFiltered ? filters : { all: ["true"] });
      for (const report of gone) pruned.set(report.name, volumePruneReport(report));
    }
    count = pods.size + containers.size + images.size + networks.size + pruned.size;
  }
  const reports = [containers, images, pruned].map((family) => [...family.values()]);
  return emit(SystemPruneReport, {
    PodPruneReport: [...pods.values()],
    ContainerPruneReports: reports[0],
    ImagePruneReports: reports[1],
    NetworkPruneReports: [...networks.values()],
    VolumePruneReports: reports[2],
    ReclaimedSpace: reports.flat().reduce((sum, { Size }) => sum + Size, 0),
  });
}
