import { busyboxImage, pushImage } from "../fixtures/image_builder.ts";
import { registriesConf, startRegistry, type TestRegistry } from "../fixtures/registry.ts";
import { Server, type ServerOptions } from "../fixtures/server.ts";

/** A registry with the busybox image of the host suites, and a server that knows it. */
export class Session implements AsyncDisposable {
  private constructor(
    readonly server: Server,
    readonly registry: TestRegistry,
    /** The image's name as a user types it: `127.0.0.1:PORT/suite/busybox:latest`. */
    readonly image: string,
  ) {}

  static async start(options: ServerOptions = {}): Promise<Session> {
    const registry = await startRegistry();
    await pushImage(registry.url, "suite/busybox:latest", layeredBusybox());
    const server = await Server.start({ tcp: true, registries: registriesConf(registry.host), ...options });
    return new Session(server, registry, `${registry.host}/suite/busybox:latest`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.registry.close();
  }
}

/** Busybox with layers on top that hide and replace: `/layers` keeps only `kept`, `/opaque` shows only `upper`. */
function layeredBusybox() {
  return busyboxImage({
    config: { Cmd: ["/bin/sh"] },
    layers: [
      {
        gzip: true,
        entries: [
          { type: "dir", path: "layers" },
          { type: "file", path: "layers/kept", content: "kept" },
          { type: "file", path: "layers/gone", content: "gone" },
          { type: "dir", path: "opaque" },
          { type: "file", path: "opaque/lower", content: "lower" },
        ],
      },
      {
        gzip: true,
        entries: [
          { type: "dir", path: "layers" },
          { type: "whiteout", path: "layers/gone" },
          { type: "dir", path: "opaque" },
          { type: "opaque", path: "opaque" },
          { type: "file", path: "opaque/upper", content: "upper" },
        ],
      },
    ],
  });
}

/** Tries until it does not throw any more, for at most `timeout` milliseconds; then its last error is thrown. */
export async function until<T>(work: () => Promise<T>, timeout = 30_000): Promise<T> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
