import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import { nameFieldsLater } from "../containers/spec/name_fields.ts";
import { RequestError } from "../request_error.ts";
import { PodCreateReport } from "../wire/pods/pod.ts";
import { emit } from "../wire/emit.ts";
import type { PodSpecGenerator } from "../wire/pods/pod_spec.ts";
import { POD_NAMES, podRequest } from "./pod_request.ts";

/** Makes a pod; an infra image that is not there is pulled. */
export async function createPod(
  engine: Engine,
  generator: PodSpecGenerator,
  signal: AbortSignal,
): Promise<PodCreateReport> {
  try {
    const request = podRequest(generator);
    const image = request.infra && request.infra.image;
    if (image && !engine.images.exists(image)) {
      for await (const _ of engine.images.pull(image, { signal }));
    }
    const { record } = await nameFieldsLater(POD_NAMES, () => engine.pods.create(request));
    return emit(PodCreateReport, { Id: record.id });
  } catch (error) {
    throw makingFailed(error);
  }
}

function makingFailed(error: unknown): unknown {
  if (error instanceof EngineError) {
    const { message, sentinel, status } = error;
    // The name of the infra container is another matter than the pod's, which clients are told of by 409.
    const code = error.code === "name_in_use" && sentinel !== "pod already exists" ? "in_use" : error.code;
    return new EngineError(code, `failed to make pod: ${message}`, { cause: error, sentinel, status });
  }
  if (error instanceof RequestError) {
    const { code, message, sentinel, field } = error;
    return new RequestError(code, `failed to make pod: ${message}`, { cause: error, sentinel, field });
  }
  return error;
}
