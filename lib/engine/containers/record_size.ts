import type { ContainerRecord } from "../records/container_record.ts";
import { encode } from "../store/json.ts";
import { requireSize } from "../store/value_size.ts";
import type { Context } from "./context.ts";

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
  requireSize("Keep container", "labels", encode(labels), labelBytes);
  requireSize("Keep container", "annotations", encode(annotations), labelBytes);
  requireSize("Keep container", "all options together", text, recordBytes);
}
