import { negotiate } from "../run/accept.ts";
import { identify } from "../auth.ts";
import type { Handler, Platform } from "../context.ts";
import { HTTPError } from "../error.ts";
import type { HandlerOptions } from "../run/core_server.ts";
import { cutPath } from "../route/request_path.ts";
import { setHeaders } from "../run/response_headers.ts";
import { type ResponseWriter, responseWriter } from "../run/write_response.ts";
import { clientModule } from "./client/client_module.ts";
import { clientTypes } from "./client/client_types.ts";
import { type Definitions, listOf } from "./described.ts";
import { contentPolicy, docsPage } from "./docs_page.ts";
import { type DocumentOptions, openapi } from "./openapi.ts";
import { clientSamples } from "./page/client_sample.ts";

/**
 * Options of {@linkcode surfaces}.
 *
 * @example
 * ```ts
 * import { surfaces, type SurfacesOptions } from "../surfaces.ts";
 * import { api, bearer, rest } from "../mod.ts";
 * const options: SurfacesOptions = { path: "/api", auth: bearer("sesame"), guarded: true };
 * const serve = surfaces(api("x", { Ping: rest("GET /ping") }), options);
 * console.assert((await serve(new Request("http://localhost/api"))).status === 401);
 * ```
 */
export interface SurfacesOptions extends DocumentOptions {
  /** The path the surfaces stand on; `/` unless said. */
  path?: string;
  /**
   * Says further things of the API, which win over these options: asked when the OpenAPI document is first shown, and when the page is. A
   * request for anything else does not ask, so that words of much memory can be loaded here. Asked again where it fails.
   */
  describe?: () => Promise<DocumentOptions>;
  /** Shows them only to those whom `auth` lets in. */
  guarded?: boolean;
  /** Asked for everything else, instead of answering 404. */
  fallback?: Handler;
  /** As that of a handler: told of every error that goes out, before it does. */
  onError?: HandlerOptions["onError"];
}

/** One face of the API. */
interface Face {
  /** The name it also has below the root. */
  readonly file: string;
  /** The content type that it is requested by and sent as. */
  readonly type: string;
  /** Whether it tells what the options say of the API. */
  readonly isDescribed?: true;
  headers?(about: DocumentOptions): HeadersInit | Promise<HeadersInit>;
  write(about: DocumentOptions): string;
}

/** Bytes of a body that are sent at once. */
const PIECE = 64 * 1024;

/** A face with its text, in UTF-8. */
interface Shown {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: HeadersInit;
}

/**
 * Answers `GET` on the root of APIs with what their definitions say, as the client accepts it: the OpenAPI document
 * (`application/json`, and to who accepts anything), a page to read and try it (`text/html`), or a client module (`text/javascript`,
 * and to a browser that imports it). They also have addresses of their own below the root: `openapi.json`, `docs.html`, `client.js`
 * and `client.d.ts`, the module's types. To be the `fallback` of a handler.
 *
 * @param definitions What to tell of
 * @param options Where, and what a definition does not say
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest } from "../mod.ts";
 * import { surfaces } from "../surfaces.ts";
 * const definition = api("x", { Ping: rest("GET /ping") });
 * const serve = handler(null, implement(definition, { Ping() {} }), { fallback: surfaces(definition) });
 * const document = await (await serve(new Request("http://localhost/openapi.json"))).json();
 * console.assert("/ping" in document.paths);
 * ```
 */
export function surfaces(definitions: Definitions, options: SurfacesOptions = {}): Handler {
  const surface = new Surfaces(definitions, options);
  return (request, platform = {}) => surface.handle(request, platform);
}

class Surfaces {
  readonly #options: SurfacesOptions;
  readonly #root: string;
  readonly #faces: readonly Face[];
  readonly #shown = new Map<Face, Promise<Shown>>();
  readonly #responses: ResponseWriter;

  constructor(definitions: Definitions, options: SurfacesOptions) {
    if (options.guarded && !options.auth) throw new TypeError("Guard the surfaces: pass an authenticator as auth");
    this.#options = options;
    this.#root = `/${options.path ?? ""}/`.replaceAll(/\/+/g, "/");
    this.#faces = faces(definitions);
    const { auth = null, onError } = options;
    this.#responses = responseWriter(
      listOf(definitions)[0]?.options ?? {},
      auth,
      { ...onError && { onError } },
      {},
    );
  }

  async handle(request: Request, platform: Platform): Promise<Response> {
    try {
      return await this.#find(request, platform);
    } catch (error) {
      return this.#responses.error(error, { request, platform });
    }
  }

  #find(request: Request, platform: Platform): Response | Promise<Response> {
    const { path } = cutPath(request.url);
    const onRoot = path === this.#root || `${path}/` === this.#root;
    const file = path.startsWith(this.#root) ? path.slice(this.#root.length) : undefined;
    const named = this.#faces.find((face) => face.file === file);
    if (!onRoot && named === undefined) {
      if (this.#options.fallback !== undefined) return this.#options.fallback(request, platform);
      throw new HTTPError(404, `Find "${path}": there is nothing`, { kind: "route" });
    }
    const allow = "GET, HEAD";
    if (request.method === "OPTIONS") {
      const headers = new Headers({ allow });
      setHeaders(headers, this.#options.auth?.cors?.(request));
      return new Response(null, { status: 204, headers });
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new HTTPError(405, `Send ${request.method} to "${path}": only ${allow} is known there`, {
        kind: "method",
        headers: { allow },
      });
    }
    const face = named ?? this.#choose(request);
    if (onRoot && path !== this.#root && face.type === "text/html") {
      // The page's links are relative, so that it works behind a proxy that takes a prefix off.
      const location = `./${this.#root.split("/").at(-2)}/`;
      return new Response(null, { status: 307, headers: { location, vary: "Accept, Sec-Fetch-Dest" } });
    }
    return this.#show(request, face, onRoot);
  }

  #choose(request: Request): Face {
    const accept = request.headers.get("accept");
    // A browser that imports a module accepts anything, and says what for.
    const imported = request.headers.get("sec-fetch-dest") === "script";
    const type = imported ? "text/javascript" : negotiate(accept, this.#faces.map((face) => face.type));
    const face = this.#faces.find((candidate) => candidate.type === type);
    if (face !== undefined) return face;
    throw new HTTPError(406, `Show the API: it can be had as ${this.#faces.map((one) => one.type).join(", ")}`, {
      kind: "accept",
    });
  }

  async #show(request: Request, face: Face, onRoot: boolean): Promise<Response> {
    const { auth, guarded } = this.#options;
    if (guarded && auth) await identify(auth, request, "surfaces");
    const { bytes, etag, headers: own } = await this.#write(face);
    const headers = new Headers(own);
    headers.set("content-type", `${face.type};charset=UTF-8`);
    headers.set("etag", etag);
    headers.set("cache-control", guarded ? "private, no-cache" : "no-cache");
    headers.set("x-content-type-options", "nosniff");
    if (onRoot) headers.set("vary", "Accept, Sec-Fetch-Dest");
    setHeaders(headers, auth?.cors?.(request));
    const known = request.headers.get("if-none-match")?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (known?.includes(etag)) return new Response(null, { status: 304, headers });
    if (request.method === "HEAD") return new Response(null, { headers });
    if (bytes.length <= PIECE) return new Response(bytes, { headers });
    headers.set("content-length", String(bytes.length));
    return new Response(inPieces(bytes), { headers });
  }

  #write(face: Face): Promise<Shown> {
    const known = this.#shown.get(face);
    if (known !== undefined) return known;
    const shown = (async () => {
      const about = face.isDescribed ? { ...this.#options, ...await this.#options.describe?.() } : {};
      const bytes = new TextEncoder().encode(face.write(about));
      return { bytes, etag: `"${await digest(bytes)}"`, headers: await face.headers?.(about) ?? {} };
    })();
    this.#shown.set(face, shown);
    // The next request tries again what failed.
    shown.catch(() => this.#shown.delete(face));
    return shown;
  }
}

function faces(definitions: Definitions): Face[] {
  return [
    {
      file: "openapi.json",
      type: "application/json",
      isDescribed: true,
      write: (about) => JSON.stringify(openapi(definitions, about)),
    },
    {
      file: "docs.html",
      type: "text/html",
      isDescribed: true,
      headers: async ({ servers }) => ({
        "content-security-policy": await contentPolicy(servers),
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
      }),
      write: (about) => docsPage(openapi(definitions, about), clientSamples(definitions)),
    },
    {
      file: "client.js",
      type: "text/javascript",
      // Deno reads the module's types from there.
      headers: () => ({ "x-typescript-types": "./client.d.ts" }),
      write: () => clientModule(definitions),
    },
    { file: "client.d.ts", type: "application/typescript", write: () => clientTypes(definitions) },
  ];
}

/** Bytes as a stream that holds none of its own: of callers who read nothing, each would keep a copy of a whole body. */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      // Others get their turn: a socket's buffer takes many pieces at once, and of many callers each has one.
      if (at > 0) await new Promise((resolve) => setTimeout(resolve));
      controller.enqueue(bytes.subarray(at, at += PIECE));
      if (at >= bytes.length) controller.close();
    },
  }, { highWaterMark: 0 });
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
