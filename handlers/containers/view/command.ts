import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";

/** A container's entry point: its own, or its image's. */
export function entrypointOf({ spec }: ContainerRecord, image: ImageRecord | undefined): readonly string[] {
  return spec.entrypoint ?? image?.config.config?.Entrypoint ?? [];
}

/** A container's command without its entry point, which lists show. */
export function commandOf(record: ContainerRecord, image: ImageRecord | undefined): string[] {
  if (record.spec.command?.length) return record.spec.command;
  const entrypoint = entrypointOf(record, image);
  const { args } = record.process;
  return entrypoint.every((part, index) => args[index] === part) ? args.slice(entrypoint.length) : args;
}

/** The ports a container exposes without publishing them, its image's included: `80/tcp`. */
export function exposedBy({ spec }: ContainerRecord, image: ImageRecord | undefined): string[] {
  return [...new Set([...spec.exposed, ...Object.keys(image?.config.config?.ExposedPorts ?? {})])];
}
