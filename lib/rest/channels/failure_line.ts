/**
 * How a channel over lines tells why it ends early. A body that breaks off says that something went wrong, but not what, and
 * workerd does not even break it off: what a failing body has sent looks whole there. A client that knows better asks for the
 * failure as the last line, which no JSON begins like.
 */
const PARAMETER = "errors=line";
const SIGN = "!";

/** The headers of a request that asks for failures as lines. As a parameter of `Accept` it needs no preflight in a browser. */
export function askFailures(given: Headers): Headers {
  const headers = new Headers(given);
  headers.set("accept", `${headers.get("accept") ?? "application/x-ndjson"};${PARAMETER}`);
  return headers;
}

/** Whether a request asks for failures as lines. */
export function asksFailures(request: Request): boolean {
  return request.headers.get("accept")?.split(/[;,]/).some((part) => part.trim() === PARAMETER) ?? false;
}

/** The line that tells of a failure. */
export function failureLine(words: string): string {
  return `${SIGN}${JSON.stringify(words)}\n`;
}

/**
 * Looks whether a line tells of a failure.
 *
 * @throws {Error} with the sender's words if it does
 */
export function throwFailure(line: string): void {
  if (!line.startsWith(SIGN)) return;
  let words: unknown;
  try {
    words = JSON.parse(line.slice(SIGN.length));
  } catch {
    return;
  }
  throw new Error(`Read a channel: ${words}`);
}
