import type { BuiltImage } from "../../fixtures/image_builder.ts";

/** A request the registry was asked, as faults and tests see it. */
export interface Asked {
  kind: "manifest" | "blob" | "other";
  /** The tag or digest. */
  what: string;
  range: string | null;
}

/** Answers in the registry's place; `undefined` leaves the answer to it. `body` is what it would have sent. */
export type Fault = (
  asked: Asked,
  body: Uint8Array | undefined,
) => Response | undefined | Promise<Response | undefined>;

/**
 * A registry on loopback that holds built images under `name:tag` and can be made to misbehave: what a real registry
 * never does. It answers ranges.
 */
export class FaultyRegistry {
  readonly host: string;
  readonly asked: Asked[] = [];
  readonly #images = new Map<string, BuiltImage>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  fault: Fault = () => undefined;

  constructor() {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
    this.host = `127.0.0.1:${this.#server.addr.port}`;
  }

  /** A registries.conf that allows plain HTTP to it. */
  get registries(): string {
    return `unqualified-search-registries = ["${this.host}"]\n[[registry]]\nlocation = "${this.host}"\ninsecure = true\n`;
  }

  /** Holds an image; gives its whole name. */
  add(name: string, image: BuiltImage): string {
    this.#images.set(name, image);
    return `${this.host}/${name}`;
  }

  /** What was asked of blobs since the last call, by digest. */
  takeBlobs(): Asked[] {
    return this.asked.splice(0).filter(({ kind }) => kind === "blob");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const match = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(pathname);
    const range = request.headers.get("range");
    if (!match) return new Response("{}", { status: pathname === "/v2/" ? 200 : 404 });
    const [, repository, part, what] = match;
    const kind = part === "blobs" ? "blob" : "manifest";
    const found = kind === "blob" ? this.#blob(what) : this.#manifest(repository, what);
    const asked: Asked = { kind, what, range };
    this.asked.push(asked);
    const faulty = await this.fault(asked, found?.bytes);
    if (faulty) return faulty;
    if (!found) {
      const code = kind === "blob" ? "BLOB_UNKNOWN" : "MANIFEST_UNKNOWN";
      return Response.json({ errors: [{ code, message: `${kind} unknown` }] }, { status: 404 });
    }
    return reply(found.bytes, found.mediaType, range);
  }

  #manifest(repository: string, what: string): { bytes: Uint8Array; mediaType: string } | undefined {
    for (const [name, image] of this.#images) {
      if (!name.startsWith(`${repository}:`)) continue;
      const child = image.children.get(what);
      if (child) return child;
      if (name === `${repository}:${what}` || image.digest === what) {
        return { bytes: image.manifest, mediaType: image.mediaType };
      }
    }
  }

  #blob(digest: string): { bytes: Uint8Array; mediaType: string } | undefined {
    for (const image of this.#images.values()) {
      const bytes = image.blobs.get(digest);
      if (bytes) return { bytes, mediaType: "application/octet-stream" };
    }
  }
}

/** The whole, or the rest that a range asks for. */
export function reply(bytes: Uint8Array, mediaType: string, range: string | null): Response {
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
  const headers: Record<string, string> = { "content-type": mediaType };
  if (start === 0) return new Response(bytes.slice(), { headers });
  headers["content-range"] = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
  return new Response(bytes.slice(start), { status: 206, headers });
}

/** Sends the first bytes of a body, says there were more, and breaks off. */
export function cut(bytes: Uint8Array, at: number): Response {
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!sent) {
        sent = true;
        return controller.enqueue(bytes.slice(0, at));
      }
      // Long enough for the first part to arrive.
      await new Promise((resolve) => setTimeout(resolve, 20));
      // Short of the length announced: the connection is cut.
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-length": String(bytes.length) } });
}
