/**
 * A whole engine for tests of the handlers: the real one, over stores in memory, a fake kernel, and a registry that is a
 * function.
 */
import { engineHandler, operations } from "../../handlers/engine_handler.ts";
import { Engine } from "../../lib/engine/engine.ts";
import type { EngineOptions } from "../../lib/engine/options.ts";
import type { HostInfo } from "../../lib/engine/host_facts.ts";
import type { Host } from "../../lib/engine/host_port.ts";
import type { Net } from "../../lib/engine/ports.ts";
import type { Handler } from "../../lib/rest/mod.ts";
import { hostClock } from "../../lib/platform/clock.ts";
import { hostCodec } from "../../lib/platform/codec.ts";
import { MemoryBlobs } from "../../lib/platform/memory_blobs.ts";
import { MemoryStore } from "../../lib/platform/memory_store.ts";
import { hostRandom } from "../../lib/platform/random.ts";
import { FakeHost } from "../fixtures/fake_host.ts";
import { FakeKernel } from "../fixtures/fake_kernel.ts";
import { buildImage, type BuiltImage } from "../fixtures/image_builder.ts";

/** Facts of a host that is not there. */
export const HOST_INFO: HostInfo = {
  arch: "amd64",
  os: "linux",
  kernel: "6.1.0",
  hostname: "fakehost",
  cpus: 4,
  memTotal: 8e9,
  memFree: 4e9,
  swapTotal: 0,
  swapFree: 0,
  uptime: 90_000,
  distribution: { distribution: "debian", version: "12", codename: "bookworm" },
  cgroupVersion: "v2",
  cgroupManager: "cgroupfs",
  cgroupControllers: ["cpu", "memory", "pids"],
  conmon: { path: "/usr/bin/conmon", version: "2.1.6", package: "conmon" },
  runtime: { name: "crun", path: "/usr/bin/crun", version: "1.8", package: "crun" },
  networkBackend: { name: "netavark", path: "/usr/lib/podman/netavark", version: "1.4", package: "netavark" },
  securityOptions: {
    seccomp: true,
    seccompProfilePath: "/usr/share/containers/seccomp.json",
    apparmor: false,
    selinux: false,
    rootless: false,
    capabilities: "CAP_CHOWN",
  },
  graphRoot: "/root",
  runRoot: "/run",
  volumePath: "/root/volumes",
  graphDriver: "overlay",
  backingFilesystem: "ext4",
};

/** The image every test engine's registry has, as `localhost:5000/team/tiny:1`. */
export const TINY: BuiltImage = buildImage({
  layers: [{ entries: [{ type: "file", path: "hello", content: "hi\n" }] }],
  architecture: "amd64",
  config: {
    Cmd: ["serve", "--all"],
    Env: ["PATH=/bin", "FROM_IMAGE=yes"],
    ExposedPorts: { "8080/tcp": {} },
    Labels: { vendor: "us" },
  },
});

/** Where {@linkcode TINY} is. */
export const TINY_NAME = "localhost:5000/team/tiny:1";

/** An engine with its handlers, and what a test looks at. */
export interface TestEngine extends AsyncDisposable {
  engine: Engine;
  kernel: FakeKernel;
  /** Both trees. */
  serve: Handler;
  /** Every operation alone. */
  operations: Record<string, Handler>;
  /** Requests the registry got. */
  requests: Request[];
  /** Sends a request to both trees' handler. */
  send(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<Response>;
}

/** Choices of {@linkcode openTestEngine}. */
export interface TestEngineOptions
  extends Pick<EngineOptions, "dockerHub" | "registries" | "credentials" | "tls" | "proxyEnv"> {
  /** The network; by default {@linkcode TINY}'s registry. */
  net?: Net;
  /** `false` leaves {@linkcode TINY} in the registry. */
  pulled?: boolean;
  /** `false` is a deployment without a kernel. */
  host?: boolean;
}

/** Opens an engine. */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const kernel = new FakeKernel();
  const requests: Request[] = [];
  const codec = hostCodec();
  const engine = await Engine.open({
    store: new MemoryStore(),
    blobs: new MemoryBlobs(codec),
    net: options.net ?? registryNet(TINY, requests),
    codec,
    clock: hostClock(),
    random: hostRandom(),
    host: options.host === false ? { unavailable: "there is no kernel here" } : fakeHost(kernel),
  }, {
    defaultPlatform: { os: "linux", architecture: "amd64" },
    dockerHub: options.dockerHub,
    registries: options.registries,
    credentials: options.credentials,
    tls: options.tls,
    proxyEnv: options.proxyEnv,
  });
  if (options.pulled !== false) { for await (const _ of engine.images.pull(TINY_NAME)); }
  const serve = engineHandler(engine);
  return {
    engine,
    kernel,
    serve,
    operations: operations(engine),
    requests,
    send(method, path, body, headers) {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      return serve(new Request(`http://d${path}`, { method, body: text, headers }));
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

function fakeHost(kernel: FakeKernel): Host {
  const host = new FakeHost(kernel);
  host.info = () => Promise.resolve(HOST_INFO);
  const unpacked = new Set<string>();
  host.layers.has = (diffID) => Promise.resolve(unpacked.has(diffID));
  host.layers.list = () => Promise.resolve([...unpacked]);
  host.layers.apply = async (diffID, tar) => {
    for await (const _ of tar);
    unpacked.add(typeof diffID === "string" ? diffID : await diffID());
  };
  return host;
}

/** A registry with one image, under any name, that takes manifests of what it has; `broken` answers 500 and `secret` 401. */
function registryNet(image: BuiltImage, requests: Request[]): Net {
  const body = (bytes: Uint8Array, type: string) =>
    new Response(new Uint8Array(bytes), { headers: { "Content-Type": type, "Content-Length": String(bytes.length) } });
  return {
    fetch(request) {
      requests.push(request);
      const { pathname } = new URL(request.url);
      if (pathname === "/v2/") return Promise.resolve(new Response("{}"));
      if (pathname.includes("/broken/")) return Promise.resolve(new Response("no", { status: 500 }));
      if (pathname.includes("/secret/") && request.headers.get("authorization") !== `Basic ${btoa("ann:pw")}`) {
        const headers = { "WWW-Authenticate": 'Basic realm="here"' };
        return Promise.resolve(new Response('{"errors":[{"code":"UNAUTHORIZED"}]}', { status: 401, headers }));
      }
      if (request.method === "PUT") return Promise.resolve(new Response(null, { status: 201 }));
      const [, kind, reference] = /\/(manifests|blobs)\/([^/]+)$/.exec(pathname) ?? [];
      if (kind === "manifests" && (reference === "1" || reference === image.digest)) {
        return Promise.resolve(body(image.manifest, image.mediaType));
      }
      const blob = kind === "blobs" ? image.blobs.get(reference) : undefined;
      if (blob) return Promise.resolve(body(blob, "application/octet-stream"));
      const error = { errors: [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }] };
      return Promise.resolve(Response.json(error, { status: 404 }));
    },
  };
}
