/** A create request as a real client sent it to a server that only listened. */
export interface CapturedRequest {
  /** What the client was asked for. */
  name: string;
  path: string;
  /** The bytes of the body. */
  body: string;
}

/** Reads the requests one client sent, by name. */
export function captured(client: "podman_4_3_1" | "docker_28_2_2"): Record<string, CapturedRequest> {
  const text = Deno.readTextFileSync(new URL(`${client}.ndjson`, import.meta.url));
  const requests: CapturedRequest[] = text.trim().split("\n").map((line) => JSON.parse(line));
  return Object.fromEntries(requests.map((request) => [request.name, request]));
}
