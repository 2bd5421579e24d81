/** Bodies of responses that were made of a text. */
const bodies = new WeakMap<Response, string>();

/** Notes what a response was made of: to send it a server needs no stream then. Returns the response. */
export function noteBody(response: Response, body: string): Response {
  bodies.set(response, body);
  return response;
}

/** Returns the text that a response was made of, where that is known and nobody has read it. */
export function notedBody(response: Response): string | undefined {
  const body = bodies.get(response);
  return body !== undefined && !response.bodyUsed ? body : undefined;
}
