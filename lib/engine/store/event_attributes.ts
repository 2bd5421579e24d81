import type { EngineEvent } from "./events.ts";

/** Characters of an event's name, and of its image's. */
const NAME = 4096;
/** Bytes of a whole event, as it is stored; only earlier versions have kept larger ones. */
export const EVENT_BYTES = 512 * 1024;
/** Characters of an event's attributes, names included. */
const ATTRIBUTES = 48 * 1024;
/** Ends a value that was cut. */
const CUT = "… (cut)";
/** Under this name stands how many attributes are left out altogether. */
const OMITTED = "io.gantry.omitted";

/**
 * The attributes, no more than `most` characters of names and values. Small ones are kept first, whole; the first that does
 * not fit ends with a mark, and the number of those left out stands under a name of its own. Attributes that fit are
 * returned as they are.
 */
export function fitAttributes(
  attributes: Readonly<Record<string, string>>,
  most: number,
): Record<string, string> {
  const entries = Object.entries(attributes);
  let rest = most;
  for (const entry of entries) rest -= sizeOf(entry);
  if (rest >= 0) return attributes;
  rest = most - OMITTED.length - String(entries.length).length - CUT.length;
  const kept: [string, string][] = [];
  for (const entry of entries.sort((a, b) => sizeOf(a) - sizeOf(b))) {
    const [name, value] = entry;
    if (sizeOf(entry) > rest) {
      if (name.length < rest) kept.push([name, value.slice(0, rest - name.length) + CUT]);
      break;
    }
    kept.push(entry);
    rest -= sizeOf(entry);
  }
  const omitted = entries.length - kept.length;
  return Object.fromEntries(omitted > 0 ? [...kept, [OMITTED, String(omitted)]] : kept);
}

function sizeOf([name, value]: readonly [string, string]): number {
  return name.length + value.length;
}

/** The event with all of it within bounds. Its ID is one of ours. */
export function boundEvent(event: EngineEvent): EngineEvent {
  const attributes = fitAttributes(event.attributes, ATTRIBUTES);
  const { name, image } = event;
  const isShort = (text = "") => text.length <= NAME;
  if (attributes === event.attributes && isShort(name) && isShort(image)) return event;
  return {
    ...event,
    attributes,
    ...name && { name: name.slice(0, NAME) },
    ...image && { image: image.slice(0, NAME) },
  };
}
