import { joinPod } from "../../pods/join_pod.ts";
import type { Context, MadeContainer } from "../context.ts";
import { EngineError, reworded } from "../../errors.ts";
import { completeRequest } from "../request/complete_request.ts";
import type { MemberRequest } from "../request/container_request.ts";
import { createFromSpec } from "./create.ts";

/** Makes a container, in its pod where the request names one; elsewhere one that waits for the request may be there. */
export async function createContainer(
  context: Context,
  request: MemberRequest,
): Promise<MadeContainer> {
  const { defaults } = context.core.options;
  if (!request.pod) {
    const spec = completeRequest(joinPod({ ...request, pod: undefined }), defaults);
    return await context.warm.give(context, spec, () => createFromSpec(context, spec));
  }
  const { pods } = context;
  const { id } = findPod(context, request.pod);
  // Under the pod's lock: it can neither go nor start meanwhile.
  return await pods.locked(id, async () => {
    const record = pods.require(id);
    const members = pods.membersOf(id);
    if (request.initContainer !== undefined && members.some(({ state }) => state.status === "running")) {
      throw new EngineError("state", "cannot add init-ctr to a running pod");
    }
    const infra = members.find((member) => member.id === record.infraID);
    return await createFromSpec(context, completeRequest(joinPod(request, { record, infra }), defaults));
  });
}

function findPod({ pods }: Context, nameOrID: string) {
  try {
    return pods.resolve(nameOrID);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw reworded(error, `retrieving pod ${nameOrID}: ${error.message}`);
  }
}
