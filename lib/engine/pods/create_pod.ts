import type { Containers } from "../containers/containers.ts";
import { type Core, hostOf } from "../core.ts";
import type { PodRecord } from "../records/pod_record.ts";
import { encode } from "../store/json.ts";
import { requireSize } from "../store/value_size.ts";
import { randomID } from "../text/names.ts";
import { checkPodRequest, draftPod, infraRequest } from "./draft_pod.ts";
import type { PodRequest } from "./pod_request.ts";
import type { PodStore } from "./pod_store.ts";

/** Makes a pod and its infra container, whose records last from the same moment; see {@linkcode Pods.create}. */
export async function createPod(
  core: Core,
  store: PodStore,
  containers: Pick<Containers, "resolve" | "infra">,
  request: PodRequest,
): Promise<{ record: PodRecord; warnings: string[] }> {
  checkPodRequest(request);
  const { random, clock, options } = core;
  requireSize("Create pod", "labels", encode(request.labels ?? {}), options.limits.labelBytes);
  const id = randomID(random);
  using reserved = store.reserve(request.name || undefined);
  const host = hostOf(core);
  const granted = await host?.resources.grant({ limits: request.resources ?? {}, pathLimits: request.pathLimits });
  const { serviceContainer } = request;
  const record = draftPod({ ...request, resources: granted?.limits }, {
    id,
    name: reserved.name,
    created: clock.now(),
    infraID: request.infra === false ? "" : randomID(random),
    group: host?.resources.podGroup(id, request.cgroupParent),
    serviceContainer: serviceContainer && containers.resolve(serviceContainer).id,
  });
  requireSize("Keep pod", "all options together", encode(record), options.limits.recordBytes);
  const put = store.put(record);
  if (record.infraID === "") await core.state.commit([put]);
  else await containers.infra.create(infraRequest(request, record), record.infraID, put);
  store.emit(record, "create");
  return { record, warnings: granted?.warnings ?? [] };
}
