import type { ContainerRecord } from "../records/container_record.ts";
import { EngineError } from "../errors.ts";
import { encode } from "../store/json.ts";
import type { Context } from "./context.ts";

const encoder = new TextEncoder();

/**
 * Throws `limit` for a container whose record is larger than one may be: it is held in memory and written anew with every
 * change of state, however often the container makes one.
 */
export function checkRecordSize({ core }: Pick<Context, "core">, record: ContainerRecord): void {
  const { labelBytes, recordBytes } = core.options.limits;
  const { labels, annotations } = record.spec;
  const text = encode(record);
  // No character has more than three bytes for each of its units; the usual record is far below both bounds.
  if (text.length * 3 <= Math.min(labelBytes, recordBytes)) return;
  requireSize("labels", encode(labels), labelBytes);
  requireSize("annotations", encode(annotations), labelBytes);
  requireSize("all options together", text, recordBytes);
}

function requireSize(what: string, text: string, most: number): void {
  const size = encoder.encode(text).length;
  if (size <= most) return;
  throw new EngineError("limit", `Keep container: ${what} have ${size} bytes; at most ${most} bytes are kept`);
}
