import { RequestError } from "../../request_error.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";

/** Whether a field's value asks for nothing beyond the default. */
type Harmless = (value: unknown) => boolean;

/** Whether a value is one of Go's empty ones, at any depth. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

/**
 * The fields no container is made with yet, and the values of each that are harmless all the same: what clients send when
 * nobody asked for anything. Fields that are not listed are honoured.
 */
const RULES: Partial<Record<keyof SpecGenerator, Harmless>> = {
  rootfs_mapping: isEmpty,
  intelRdt: isEmpty,
};

/** Throws `RequestError("unsupported")` naming the first field that asks for what no container is made with yet. */
export function refuseUnsupported(generator: SpecGenerator): void {
  for (const [field, harmless] of Object.entries(RULES)) {
    if (!harmless(generator[field as keyof SpecGenerator])) throw unsupported(field);
  }
}

/**
 * The error for a request that asks for too much.
 *
 * @param field The field's name on the wire
 * @param detail The reason, or the value
 * @param action The first words of the text
 */
export function unsupported(field: string, detail?: string, action = "Create container"): RequestError {
  const tail = detail === undefined ? "" : `: ${detail}`;
  return new RequestError("unsupported", `${action}: "${field}" is not supported yet${tail}`, {
    field,
    sentinel: "not yet implemented",
  });
}
