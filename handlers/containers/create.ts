import type { MemberRequest } from "../../lib/engine/containers/request/container_request.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError, reworded } from "../../lib/engine/errors.ts";
import { platformMatches, type PlatformWish } from "../../lib/oci/platform.ts";
import { ContainerCreateResponse } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import type { SpecGenerator } from "../wire/containers/spec_generator.ts";
import { containerRequest } from "./spec/container_request.ts";
import { type FieldNames, nameFieldsLater, NATIVE_NAMES } from "./spec/name_fields.ts";

/** Makes a container. */
export async function createContainer(engine: Engine, generator: SpecGenerator): Promise<ContainerCreateResponse> {
  const made = await create(engine, containerRequest(generator), NATIVE_NAMES);
  return { ...made, Warnings: [...made.Warnings ?? [], ...otherPlatform(engine, made.Id, generator)] };
}

/** A warning where the image is of another platform than the one asked for. */
function otherPlatform({ containers, images }: Engine, id: string, generator: SpecGenerator): string[] {
  const { image_os: os, image_arch: architecture, image_variant: variant } = generator;
  const { imageID } = containers.resolve(id);
  if ((!os && !architecture && !variant) || imageID === "") return [];
  const { config } = images.resolve(imageID);
  const own = { os: config.os, architecture: config.architecture, ...config.variant && { variant: config.variant } };
  const wanted = { ...own, ...os && { os }, ...architecture && { architecture }, ...variant && { variant } };
  if (platformMatches(config, wanted)) return [];
  const text = (platform: PlatformWish) =>
    [platform.os, platform.architecture, platform.variant].filter(Boolean).join("/");
  return [`image platform (${text(own)}) does not match the expected platform (${text(wanted)})`];
}

/** Makes a container from what both trees translate their requests to; errors name its fields as the client does. */
export async function create(
  engine: Engine,
  request: MemberRequest,
  names: FieldNames,
): Promise<ContainerCreateResponse> {
  try {
    const { record, warnings } = await nameFieldsLater(names, () => engine.containers.create(request));
    return emit(ContainerCreateResponse, { Id: record.id, Warnings: warnings });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_image") throw error;
    // Clients match on these words to decide that a pull may help.
    throw reworded(error, `no such image: ${error.message}`);
  }
}
