import type { ContainerRecord } from "../container_record.ts";
import { type Core, requireHost } from "../core.ts";
import type { Intent } from "../intents.ts";
import { decode, encode } from "../json.ts";
import type { NetworkRecord } from "../network_record.ts";
import type { Networks } from "../networks.ts";
import type { NetworkSetup } from "../ports.ts";
import type { Operation } from "../table.ts";
import { isCode, textOf } from "./failures.ts";
import type { PortClaims } from "./port_claims.ts";
import { hasOwnNetwork } from "./validate.ts";

/** The kind of the intents that outlive a container's record while its network is taken down. */
export const TEARDOWN_INTENT = "container.teardown";

/**
 * Takes networks of ended containers down, behind the answers: it is the slowest part of an end, and nobody waits for it
 * but the same container's next start. Until it is done the container's addresses and ports stay taken.
 */
export class Teardowns {
  readonly #core: Core;
  readonly #networks: Networks;
  readonly #portClaims: PortClaims;
  readonly #running = new Map<string, { done: Promise<void>; setup: NetworkSetup }>();

  constructor(core: Core, networks: Networks, portClaims: PortClaims) {
    this.#core = core;
    this.#networks = networks;
    this.#portClaims = portClaims;
  }

  /** Starts taking a container's network down. Never rejects; what fails is left to the next recovery. */
  begin(record: ContainerRecord): Promise<void> {
    if (!hasNamespace(record)) return Promise.resolve();
    const netns = requireHost(this.#core).networks.path(record.id);
    return this.#begin(setupOf(record, netns, (name) => this.#find(name)));
  }

  /** Resolves when nothing of the container's network is being taken down any more. */
  async settled(id: string): Promise<void> {
    while (this.#running.has(id)) await this.#running.get(id)?.done;
  }

  /** Resolves when no teardown of any container runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /**
   * For a container whose record goes: the operation that keeps its teardown known across a crash, and what to call once
   * that is committed. Nothing when no teardown runs.
   */
  handOver(id: string): { operations: Operation[]; after: () => Promise<void> } {
    const running = this.#running.get(id);
    if (!running) return { operations: [], after: () => Promise.resolve() };
    const { intent, operation } = this.#core.intents.begin(TEARDOWN_INTENT, id, { setup: encode(running.setup) });
    const after = async () => {
      await running.done;
      await this.#core.state.commit([this.#core.intents.end(intent)]);
    };
    return { operations: [operation], after };
  }

  /** Does again what an intent of an earlier run says. */
  async resume(intent: Intent): Promise<void> {
    // Written by handOver.
    await this.#begin(decode<NetworkSetup>(intent.details.setup));
    await this.#core.state.commit([this.#core.intents.end(intent)]);
  }

  #begin(setup: NetworkSetup): Promise<void> {
    const id = setup.containerID;
    const done = this.#tearDown(setup).finally(() => {
      this.#networks.release(id);
      this.#portClaims.release(id);
      if (this.#running.get(id)?.done === done) this.#running.delete(id);
    });
    this.#running.set(id, { done, setup });
    return done;
  }

  async #tearDown(setup: NetworkSetup): Promise<void> {
    const { networks } = requireHost(this.#core);
    try {
      if (setup.attachments.length > 0) await networks.teardown(setup);
      await networks.deleteNamespace(setup.containerID);
    } catch (error) {
      this.#core.log("warn", `Take down the network of container ${setup.containerID}: ${textOf(error)}`);
    }
  }

  #find(name: string): NetworkRecord | undefined {
    try {
      return this.#networks.resolve(name);
    } catch (error) {
      if (isCode(error, "no_such_network")) return undefined;
      throw error;
    }
  }
}

/** Whether the container has a network namespace that was made for it. */
export function hasNamespace(record: ContainerRecord): boolean {
  const { mode } = record.spec.namespaces.network;
  return mode === "none" || hasOwnNetwork(mode);
}

/** What the host needs to connect or disconnect a container. Networks that are gone are left out. */
export function setupOf(
  record: ContainerRecord,
  netns: string,
  find: (name: string) => NetworkRecord | undefined,
): NetworkSetup {
  const attachments = Object.entries(record.networks).flatMap(([name, attachment]) => {
    const network = find(name);
    return network ? [{ network, attachment }] : [];
  });
  return { containerID: record.id, containerName: record.name, netns, attachments, ports: record.ports };
}
