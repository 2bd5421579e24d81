import { request } from "node:http";

/** Sends a request to an address a listener gives (`unix:///path`, `tcp://host:port`) or a URL, with the path as it is. */
export function fetchOver(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  headers: HeadersInit = {},
): Promise<Response> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const url = address.startsWith("unix:") ? undefined : new URL(address.replace(/^tcp:/, "http:"));
  const to = url ? { host: url.hostname, port: url.port } : { socketPath: address.slice("unix://".length) };
  const sent = {
    ...Object.fromEntries(new Headers(headers)),
    ...(text === undefined ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...to, method, path, headers: sent, agent: false }, (incoming) => {
      const pieces: Uint8Array[] = [];
      incoming.on("data", (piece: Uint8Array) => pieces.push(piece));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const status = incoming.statusCode ?? 0;
        const empty = status === 204 || status === 304 || method === "HEAD";
        const received = new Headers();
        for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
          received.append(incoming.rawHeaders[i], incoming.rawHeaders[i + 1]);
        }
        resolve(new Response(empty ? null : new Blob(pieces as BlobPart[]), { status, headers: received }));
      });
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}
