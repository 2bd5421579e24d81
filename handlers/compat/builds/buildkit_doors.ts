/**
 * BuildKit's two doors, each a connection that is taken over for HTTP/2: at one the client calls, at the other it is called.
 *
 * @module
 */
import type { Engine } from "../../../lib/engine/engine.ts";
import type { GRPC } from "../../../lib/engine/ports/build_port.ts";
import type { Context } from "../../../lib/rest/mod.ts";
import { BuildKit } from "../../builds/buildkit/control.ts";
import { Sessions } from "../../builds/buildkit/sessions.ts";
import { RequestError } from "../../request_error.ts";

const PROTOCOL = "h2c";

/** The doors of one engine; sessions of the one are for builds of the other. */
export class BuildKitDoors {
  readonly #engine: Engine;
  readonly #sessions = new Sessions();
  readonly #services: BuildKit;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#services = new BuildKit(engine, this.#sessions);
  }

  /** The client calls: builds, their course, workers. */
  async serveCalls(context: Context): Promise<Response> {
    const grpc = this.#requireProtocol(context);
    const connection = await upgradeConnection(context);
    const done = grpc.serve(connection, (call) => this.#services.answer(call));
    context.platform.waitUntil?.(done);
    done.catch(() => {});
    return connection.response;
  }

  /** The client is called, for what a build needs of it. */
  async openSession(context: Context): Promise<Response> {
    const grpc = this.#requireProtocol(context);
    const { headers } = context.request;
    const id = headers.get("X-Docker-Expose-Session-Uuid") ?? "";
    if (id === "") {
      throw new RequestError("invalid", "Open session: the header X-Docker-Expose-Session-Uuid is missing");
    }
    const methods = (headers.get("X-Docker-Expose-Session-Grpc-Method") ?? "").split(",").map((text) => text.trim());
    const sharedKey = headers.get("X-Docker-Expose-Session-Sharedkey") ?? "";
    const connection = await upgradeConnection(context);
    const client = grpc.connect(connection);
    const done = this.#sessions.add(id, { methods, sharedKey }, client).catch(() => client.close());
    context.platform.waitUntil?.(done);
    return connection.response;
  }

  #requireProtocol({ request }: Context): GRPC {
    const { grpc } = this.#engine.builds;
    if (grpc === undefined) throw new RequestError("unsupported", "Build image: there is no host to run its commands");
    if (request.headers.get("upgrade")?.toLowerCase() === PROTOCOL) return grpc;
    throw new RequestError("invalid", `Take the connection over: the header Upgrade must be ${PROTOCOL}`);
  }
}

async function upgradeConnection(context: Context) {
  return await context.upgrade({ status: 101, headers: { Connection: "Upgrade", Upgrade: PROTOCOL } });
}
