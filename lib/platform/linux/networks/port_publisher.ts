import { EngineError } from "../../../engine/errors.ts";
import type { PublishedPorts } from "../../../engine/ports/network_port.ts";
import type { HostContext } from "../helpers/context.ts";
import { containerPaths } from "../helpers/paths.ts";
import { reflectPorts } from "./bridge.ts";
import { bridgeNamespace } from "./bridge_command.ts";
import { PortForwards } from "./forwards/port_forwards.ts";
import type { LinkHelper } from "./links/link_helper.ts";
import { hasNamespace } from "./netns.ts";
import type { PreparedBridges } from "./prepared_bridges.ts";
import { type Published, publishedBy, publishPorts, unpublishPorts } from "./rules/published_ports.ts";

/** Publishes ports of containers: by elements of the firewall's sets, and by a process for what no rule leads to. */
export class PortPublisher {
  readonly #helper: LinkHelper;
  readonly #prepared: PreparedBridges;
  readonly #forwards: PortForwards;
  /** The published ports that this process has made, by container. */
  readonly #elements = new Map<string, Published[]>();

  constructor({ paths, log }: HostContext, helper: LinkHelper, prepared: PreparedBridges) {
    this.#helper = helper;
    this.#prepared = prepared;
    this.#forwards = new PortForwards({
      folder: paths.forwards,
      netns: bridgeNamespace(),
      isConnected: (id) => hasNamespace(containerPaths(paths, id).netns),
      log,
    });
  }

  /** Publishes the ports of a container that has none published. Throws `EngineError("port_in_use")` where one is taken. */
  async publish(options: PublishedPorts): Promise<void> {
    if (options.addresses.length > 0) await this.#publish(options, true);
  }

  /** Publishes the ports of a container anew, in place of those that it has: its networks have changed. */
  async republish(options: PublishedPorts): Promise<void> {
    await this.#publish(options, false);
  }

  /** Ends what leads to a container's ports. */
  async unpublish(containerID: string): Promise<void> {
    await this.#forwards.end(containerID);
    if (bridgeNamespace() !== undefined) return;
    const known = this.#elements.get(containerID);
    this.#elements.delete(containerID);
    await unpublishPorts(this.#helper, containerID, known);
  }

  /** Lets go of the process that hands on; ports stay published. */
  async close(): Promise<void> {
    await this.#forwards.close();
  }

  async #publish(options: PublishedPorts, isNew: boolean): Promise<void> {
    if (options.ports.length === 0) return;
    await this.#forwards.publish(options);
    if (bridgeNamespace() !== undefined) return;
    const { containerID: id } = options;
    const old = isNew ? [] : this.#elements.get(id) ?? await publishedBy(id);
    for (const network of options.networks) await this.#prepared.open(network);
    try {
      this.#elements.set(id, await publishPorts(this.#helper, options, old));
    } catch (error) {
      if (error instanceof EngineError && error.code === "port_in_use") throw error;
      for (const network of options.networks) await this.#prepared.open(network, true);
      this.#elements.set(id, await publishPorts(this.#helper, options, isNew ? [] : await publishedBy(id)));
    }
    if (!isNew) await reflectPorts(options.networks.map((network) => ({ network })));
  }
}
