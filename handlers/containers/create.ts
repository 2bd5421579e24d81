import type { ContainerSpec } from "../../lib/engine/container_record.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import { ContainerCreateResponse } from "../wire/container.ts";
import { emit } from "../wire/emit.ts";
import type { SpecGenerator } from "../wire/spec_generator.ts";
import { containerSpec } from "./spec/container_spec.ts";

/** Makes a container. */
export function createContainer(engine: Engine, generator: SpecGenerator): Promise<ContainerCreateResponse> {
  return create(engine, containerSpec(generator));
}

/** Makes a container from what both trees translate their requests to. */
export async function create(engine: Engine, spec: ContainerSpec): Promise<ContainerCreateResponse> {
  try {
    const { record, warnings } = await engine.containers.create(spec);
    return emit(ContainerCreateResponse, { Id: record.id, Warnings: warnings });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_image") throw error;
    // Clients match on these words to decide that a pull may help.
    throw new EngineError(error.code, `no such image: ${error.message}`, { cause: error, sentinel: error.sentinel });
  }
}
