/** One server-sent event (HTML Standard, section 9.2.6): lines of `data`, and a name where it is not an ordinary message. */
export function eventFrame(text: string, name?: string): string {
  const data = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join("");
  return `${name === undefined ? "" : `event: ${name}\n`}${data}\n`;
}

/** Whether an `Accept` header asks for server-sent events by name. */
export function acceptsEvents(accept: string | null): boolean {
  return accept?.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  }) ?? false;
}
