/**
 * One server-sent event (HTML Standard, section 9.2.6): a line of `data`, with a name where it is not an ordinary message, and an
 * ID where it can be resumed after.
 *
 * @param text JSON without line ends: to look for them in a long text takes as long as to send it
 * @throws {TypeError} if the ID is not printable ASCII, which is what survives the way back in a header
 */
export function eventFrame(text: string, name?: string, id?: string): string {
  return eventHead(name, id) + text + EVENT_END;
}

/** The lines before an event's text, as {@linkcode eventFrame} puts it together. */
export function eventHead(name?: string, id?: string): string {
  if (id !== undefined && !/^[ -~]*$/.test(id)) {
    throw new TypeError(`Send an event: its ID "${id}" is not printable ASCII`);
  }
  return `${name === undefined ? "" : `event: ${name}\n`}${id === undefined ? "" : `id: ${id}\n`}data: `;
}

/** The end of an event, behind its text. */
export const EVENT_END = "\n\n";

/** A comment, which keeps proxies from taking a quiet channel for a dead one. */
export const HEARTBEAT = ":\n\n";

/** Whether an `Accept` header asks for server-sent events by name. */
export function acceptsEvents(accept: string | null): boolean {
  return accept?.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  }) ?? false;
}
