/**
 * BuildKit's services that a client calls: `moby.buildkit.v1.Control`, and the bridge by which it has its frontend's part of a build done.
 *
 * @module
 */
import type { Engine } from "../../../lib/engine/engine.ts";
import { VERSION } from "../../../lib/engine/info.ts";
import { GRPC_CODES, GRPCError, type IncomingCall } from "../../../lib/engine/ports/build_port.ts";
import { BuildLog } from "./build_log.ts";
import { type CacheEntry, readCacheOptions } from "./cache_options.ts";
import { exportImage } from "./export_image.ts";
import {
  BridgeSolveRequest,
  BridgeSolveResponse,
  DiskUsageResponse,
  InfoResponse,
  ListWorkersResponse,
  PongResponse,
  ReturnRequest,
  SolveRequest,
  SolveResponse,
  StatusRequest,
  StatusResponse,
} from "./messages.ts";
import type { MessageValue } from "./protobuf.ts";
import { defineResult, type DefinitionValue, readResult } from "./result_definition.ts";
import { runClientBuild } from "./run_build.ts";
import type { Sessions } from "./sessions.ts";
import { listUsage, pruneUsage } from "./usage.ts";

/** The metadata by which a call of the bridge names its build. */
const BUILD_ID = "buildkit-controlapi-buildid";
/** Milliseconds for which a build is known behind its end, for a client that asks for its steps late. */
const KEPT = 60_000;
/** Builds that are known at a time. */
const MOST_BUILDS = 1000;
/** Milliseconds that the parts of a build wait for one another. */
const PATIENCE = 30_000;
const FRONTEND = "dockerfile.v0";
const EMPTY = new Uint8Array();

/** A build as its client has begun it. */
class ClientSolve {
  readonly log = new BuildLog();
  /** The request that began it, when it is there. */
  readonly begun = Promise.withResolvers<{ request: MessageValue<typeof SolveRequest>; signal: AbortSignal }>();
  isBegun = false;
  /** The image that its client has chosen for the result; none where it only asked what is supported. */
  readonly returned = Promise.withResolvers<string | undefined>();
  /** Images by the names that the client knows them by. */
  readonly results = new Map<string, string>();

  constructor() {
    this.begun.promise.catch(() => {});
    this.returned.promise.catch(() => {});
  }
}

/** The services over an engine. */
export class BuildKit {
  readonly #engine: Engine;
  readonly #sessions: Sessions;
  readonly #builds = new Map<string, ClientSolve>();

  constructor(engine: Engine, sessions: Sessions) {
    this.#engine = engine;
    this.#sessions = sessions;
  }

  /** Answers a call. Throws {@linkcode GRPCError}. */
  async answer(call: IncomingCall): Promise<void> {
    const [, service, name] = /^\/([^/]+)\/([^/]+)$/.exec(call.method) ?? [];
    const methods = service === "moby.buildkit.v1.Control"
      ? this.#control
      : service === "moby.buildkit.v1.frontend.LLBBridge"
      ? this.#bridge
      : {};
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) throw new GRPCError(GRPC_CODES.unimplemented, `${call.method} is not supported`);
    await method(call);
  }

  readonly #control: Record<string, (call: IncomingCall) => Promise<void>> = {
    Info: (call) => call.send(InfoResponse.encode({ buildkitVersion: BUILDKIT_VERSION })),
    ListWorkers: (call) => call.send(ListWorkersResponse.encode({ record: [this.#worker()] })),
    DiskUsage: async (call) => {
      const record = await listUsage(this.#engine, await onlyMessage(call));
      await call.send(DiskUsageResponse.encode({ record }));
    },
    Prune: async (call) => {
      for (const record of await pruneUsage(this.#engine, await onlyMessage(call))) await call.send(record);
    },
    Session: (call) => this.#carrySession(call),
    Solve: (call) => this.#solve(call),
    Status: (call) => this.#tellStatus(call),
    // No record is kept of builds that are over.
    ListenBuildHistory: () => Promise.resolve(),
    UpdateBuildHistory: (call) => call.send(EMPTY),
  };

  readonly #bridge: Record<string, (call: IncomingCall) => Promise<void>> = {
    Ping: (call) =>
      call.send(PongResponse.encode({ FrontendAPICaps: CAPABILITIES, LLBCaps: [], Workers: [this.#worker()] })),
    Solve: (call) => this.#solveFrontend(call),
    Return: (call) => this.#takeResult(call),
    // Each result is built when it is named.
    Evaluate: (call) => call.send(EMPTY),
    StatFile: (call) => call.send(EMPTY),
    Inputs: (call) => call.send(EMPTY),
    Warn: (call) => call.send(EMPTY),
  };

  /** Clients of a daemon of BuildKit's have one connection for both ways. */
  async #carrySession(call: IncomingCall): Promise<void> {
    const { grpc } = this.#engine.builds;
    if (grpc === undefined) throw new GRPCError(GRPC_CODES.unimplemented, "there is no host to run commands");
    await this.#sessions.addWithin(call, grpc);
  }

  async #solve(call: IncomingCall): Promise<void> {
    const request = SolveRequest.decode(await onlyMessage(call));
    const solve = this.#find(request.Ref);
    if (solve.isBegun) throw new GRPCError(GRPC_CODES.alreadyExists, `the build ${request.Ref} was begun before`);
    solve.isBegun = true;
    try {
      refuseForeign(request.Definition);
      const signal = call.signal;
      const giveUp = () => solve.returned.reject(new GRPCError(GRPC_CODES.cancelled, "the client gave the build up"));
      signal.addEventListener("abort", giveUp, { once: true });
      solve.begun.resolve({ request, signal });
      const image = request.Frontend === ""
        ? await solve.returned.promise
        : await this.#run(solve, request.Frontend, request.FrontendAttrs, request.FrontendInputs);
      if (image === undefined) return await call.send(EMPTY);
      const exporters = request.Exporters.length > 0
        ? request.Exporters
        : request.Exporter === ""
        ? []
        : [{ Type: request.Exporter, Attrs: request.ExporterAttrs }];
      const session = await this.#sessions.find(request.Session, signal);
      const exported: Record<string, string> = {};
      const target = { engine: this.#engine, image, session, log: solve.log, signal };
      for (const [index, exporter] of exporters.entries()) {
        Object.assign(exported, await exportImage(exporter, { ...target, index }));
      }
      solve.log.end();
      await call.send(SolveResponse.encode({ ExporterResponse: exported }));
    } finally {
      solve.log.end();
      setTimeout(() => this.#builds.delete(request.Ref), KEPT);
    }
  }

  async #run(
    solve: ClientSolve,
    frontend: string,
    attributes: Record<string, string>,
    inputs: Record<string, DefinitionValue>,
    imports: readonly CacheEntry[] = [],
  ): Promise<string> {
    if (frontend !== FRONTEND) {
      throw new GRPCError(GRPC_CODES.unimplemented, `the frontend "${frontend}" is not supported`);
    }
    if (attributes.requestid) {
      throw new GRPCError(
        GRPC_CODES.unimplemented,
        `"${attributes.requestid}" is not supported: images are built, not described`,
      );
    }
    const { request, signal } = await inTime(solve.begun.promise, "the build was not begun");
    return await runClientBuild({
      engine: this.#engine,
      session: await this.#sessions.find(request.Session, signal),
      log: solve.log,
      attributes,
      cache: readCacheOptions({
        imports: [...request.Cache?.Imports ?? [], ...imports],
        exports: request.Cache?.Exports ?? [],
        attributes,
      }),
      results: Object.fromEntries(Object.entries(inputs).map(([name, definition]) => [name, readResult(definition)])),
      allowInsecure: request.Entitlements.includes("security.insecure"),
      signal,
    });
  }

  async #solveFrontend(call: IncomingCall): Promise<void> {
    const request = BridgeSolveRequest.decode(await onlyMessage(call));
    refuseForeign(request.Definition);
    const solve = this.#find(buildOf(call));
    const { Frontend, FrontendOpt, FrontendInputs, CacheImports } = request;
    const image = await this.#run(solve, Frontend, FrontendOpt, FrontendInputs, CacheImports);
    solve.results.set(image, image);
    const config = new TextEncoder().encode(JSON.stringify(this.#engine.images.resolve(image).config));
    await call.send(
      BridgeSolveResponse.encode({
        result: {
          ref: { id: image, def: await defineResult(image) },
          refs: undefined,
          metadata: { "containerimage.config": config },
        },
      }),
    );
  }

  async #takeResult(call: IncomingCall): Promise<void> {
    const { result, error } = ReturnRequest.decode(await onlyMessage(call));
    const { returned, results } = this.#find(buildOf(call));
    const [ref = result?.ref] = Object.values(result?.refs?.refs ?? {});
    const id = ref?.id ?? "";
    const image = results.get(id);
    if (error !== undefined) returned.reject(new GRPCError(error.code || GRPC_CODES.unknown, error.message));
    else if (image === undefined && id !== "") {
      returned.reject(new GRPCError(GRPC_CODES.invalidArgument, "the result is no image"));
    } else returned.resolve(image);
    await call.send(EMPTY);
  }

  async #tellStatus(call: IncomingCall): Promise<void> {
    const { Ref } = StatusRequest.decode(await onlyMessage(call));
    for await (const value of this.#find(Ref).log.follow(call.signal)) await call.send(StatusResponse.encode(value));
  }

  /** The build of a name, which whoever names it first begins: its parts come by calls of their own, in any order. */
  #find(ref: string): ClientSolve {
    if (ref === "") throw new GRPCError(GRPC_CODES.invalidArgument, "the build has no name");
    const known = this.#builds.get(ref);
    if (known !== undefined) return known;
    if (this.#builds.size >= MOST_BUILDS) throw new GRPCError(GRPC_CODES.resourceExhausted, "too many builds");
    const solve = new ClientSolve();
    this.#builds.set(ref, solve);
    // One that is never begun would stay.
    inTime(solve.begun.promise, "").catch(() => {
      solve.log.end();
      this.#builds.delete(ref);
    });
    return solve;
  }

  #worker() {
    const { os, architecture, variant = "" } = this.#engine.builds.platform;
    return {
      ID: "gantry",
      Labels: {},
      platforms: [{ OS: os, Architecture: architecture, Variant: variant }],
      BuildkitVersion: BUILDKIT_VERSION,
    };
  }
}

const BUILDKIT_VERSION = { package: "gantry", version: `v${VERSION}`, revision: "" };

/** Parts of the bridge that clients ask for before they use them. */
const CAPABILITIES = [
  ...["solve.base", "return", "returnmap", "proto.refarray", "gateway.solve.evaluate", "gateway.evaluate"],
  ...["gateway.warnings", "frontend.inputs", "reference.output"],
].map((ID) => ({ ID, Enabled: true }));

/** Only Dockerfiles are built here; a definition may be one of their contexts. */
function refuseForeign(definition: DefinitionValue = { def: [], metadata: {} }): void {
  if (definition.def.length > 0) readResult(definition);
}

function buildOf({ metadata }: IncomingCall): string {
  return String(metadata[BUILD_ID] ?? "");
}

async function onlyMessage({ messages, method }: IncomingCall): Promise<Uint8Array> {
  for await (const message of messages) return message;
  throw new GRPCError(GRPC_CODES.invalidArgument, `${method} without a message`);
}

async function inTime<T>(promise: Promise<T>, why: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new GRPCError(GRPC_CODES.unavailable, why)), PATIENCE);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
