/**
 * The engine as an edge handler. Bindings: `GANTRY_TOKEN` (callers send it as bearer token; without it everything is 401),
 * `GANTRY_REGISTRIES` (the text of a registries.conf), `ENGINE` (the Durable Object class {@linkcode GantryEngine}, with SQLite
 * storage), `BLOBS` (an R2 bucket for the bytes of images, which SQLite holds otherwise). With `ENGINE` there is one engine and what it holds lasts. Without it each isolate has an engine of its own in
 * memory: the runtime starts and ends isolates as it likes, so that is for trials only. With the compatibility flag
 * `enable_request_signal` an operation learns that its caller has gone; without it a Durable Object goes on to the operation's end.
 *
 * @module
 */
import { engineHandler } from "../../../handlers/engine_handler.ts";
import { Engine } from "../../engine/engine.ts";
import type { Blobs, Codec, Store } from "../../engine/ports/ports.ts";
import { parseRegistriesConf } from "../../oci/registry/registries_conf.ts";
import { bearer } from "../../rest/auth.ts";
import type { Handler, Platform } from "../../rest/context.ts";
import { entryHandler } from "./entry.ts";
import { readAway, type RefusableOptions, serveRefusable } from "../refused_body.ts";
import { MemoryBlobs } from "../storage/memory_blobs.ts";
import { MemoryStore } from "../storage/memory_store.ts";
import { workersClock } from "../workers/clock.ts";
import { workersCodec } from "../workers/codec.ts";
import { SQLChunks } from "../workers/chunks.ts";
import { DurableBlobs } from "../workers/durable_blobs.ts";
import { DurableStore } from "../workers/durable_store.ts";
import { freedBody } from "../workers/free.ts";
import { keepPiece, readerOfLargePieces } from "../workers/large_pieces.ts";
import { workersNet } from "../workers/net.ts";
import { R2Chunks } from "../workers/r2_chunks.ts";
import { workersRandom } from "../workers/random.ts";
import type { Bindings, DurableObjectState, ExecutionContext } from "../workers/runtime.ts";
import { upgradeWebSocket } from "../workers/websocket.ts";

const UNAVAILABLE = "this engine runs on the edge, where there is no kernel to run containers on";
/** How bodies are read, and how much of one that a refusal left unread. The runtime reads 64 KiB of such a body by itself. */
const BODIES: RefusableOptions = {
  open: readerOfLargePieces,
  keep: keepPiece,
  asTheyCome: 64 * 1024,
  endRefused(reader, { status }) {
    // Callers who may do nothing here get little of everybody's time.
    const isStranger = status === 401 || status === 403;
    return readAway(reader, isStranger ? 256 * 1024 : 64 * 1024 * 1024, 2000);
  },
};
/** The types archives are sent as. */
const ARCHIVE = /^application\/(octet|x-tar)/;

/** The one engine of a deployment, with its state and blobs in the object's SQLite. */
export class GantryEngine {
  readonly #context: DurableObjectState;
  readonly #serve: Handler;

  constructor(context: DurableObjectState, bindings: Bindings) {
    this.#context = context;
    const { BLOBS } = bindings;
    this.#serve = makeHandler(bindings, async (codec) => ({
      store: new DurableStore(context),
      blobs: await DurableBlobs.open(context, codec, BLOBS ? new R2Chunks(BLOBS) : new SQLChunks(context)),
    }), { freesInput: true });
  }

  /** Serves a request that the entry has passed on. */
  async fetch(request: Request): Promise<Response> {
    const response = await serveRefusable(
      request,
      (request) => this.#serve(request, platformOf(request, this.#context)),
      BODIES,
    );
    const { body, headers } = response;
    // Nothing else that is sent comes in large pieces.
    return body && ARCHIVE.test(headers.get("content-type") ?? "") ? new Response(freedBody(body), response) : response;
  }
}

/** By token and configuration: bindings come with each request, the isolate stays. */
const inMemory = new Map<string, Handler>();

/** The module that the runtime calls. */
export default {
  fetch(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
    const { ENGINE, GANTRY_TOKEN } = bindings;
    if (ENGINE !== undefined && GANTRY_TOKEN) return ENGINE.get(ENGINE.idFromName("engine")).fetch(request);
    const key = JSON.stringify([GANTRY_TOKEN, bindings.GANTRY_REGISTRIES]);
    const serve = inMemory.get(key) ??
      makeHandler(bindings, (codec) => Promise.resolve({ store: new MemoryStore(), blobs: new MemoryBlobs(codec) }));
    inMemory.set(key, serve);
    return serveRefusable(request, (request) => serve(request, platformOf(request, context)), BODIES);
  },
};

/** The storage of an engine. */
interface Storage {
  store: Store;
  blobs: Blobs;
}

function makeHandler(
  bindings: Bindings,
  storage: (codec: Codec) => Promise<Storage>,
  codecOptions?: { freesInput: boolean },
): Handler {
  return entryHandler({
    token: bindings.GANTRY_TOKEN,
    advice: "the binding GANTRY_TOKEN must be set to the token that callers send",
    async open(token) {
      const codec = workersCodec(codecOptions);
      const ports = {
        ...await storage(codec),
        net: workersNet(),
        codec,
        clock: workersClock(),
        random: workersRandom(),
        host: { unavailable: UNAVAILABLE },
      };
      const engine = await Engine.open(ports, { registries: registriesOf(bindings) });
      return engineHandler(engine, { auth: bearer(token) });
    },
    onError: (error) => console.error("gantry: cannot open the engine:", error),
  });
}

function registriesOf({ GANTRY_REGISTRIES }: Bindings) {
  if (!GANTRY_REGISTRIES) return undefined;
  const conf = parseRegistriesConf({ name: "the binding GANTRY_REGISTRIES", text: GANTRY_REGISTRIES });
  return conf.unqualifiedSearch.length > 0 ? conf : { ...conf, unqualifiedSearch: ["docker.io"] };
}

function platformOf(request: Request, context: ExecutionContext): Platform {
  return {
    peer: request.headers.get("cf-connecting-ip") ?? undefined,
    upgradeWebSocket,
    waitUntil: (promise) => context.waitUntil(promise),
  };
}
