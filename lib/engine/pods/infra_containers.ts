import { createFromSpec } from "../containers/create/create.ts";
import type { Context } from "../containers/context.ts";
import { completeRequest } from "../containers/request/complete_request.ts";
import type { ContainerRequest } from "../containers/request/container_request.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { Operation } from "../store/table.ts";
import { stopIdlePod } from "./exit_policy.ts";

/** The containers that hold the namespaces of pods. */
export class InfraContainers {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Makes the infra container of a pod, under an ID that the pod's record names.
   *
   * @param pod Stores the pod's record, at the same moment as the container's
   */
  async create(request: ContainerRequest, id: string, pod: Operation): Promise<ContainerRecord> {
    const spec = completeRequest(request, this.#context.core.options.defaults);
    return (await createFromSpec(this.#context, spec, id, [pod])).record;
  }

  /** Stops the infra container of a pod where no other container of the pod is up. */
  async stopIdle(podID: string): Promise<void> {
    await stopIdlePod(this.#context, podID);
  }
}
