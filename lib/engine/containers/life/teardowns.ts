import type { ContainerRecord } from "../../records/container_record.ts";
import { type Core, requireHost } from "../../core.ts";
import type { Intent } from "../../store/intents.ts";
import { decode, encode } from "../../store/json.ts";
import { userNetworkOf } from "../../records/user_network.ts";
import type { NetworkRecord } from "../../records/network_record.ts";
import type { Networks } from "../../networks/networks.ts";
import type { NetworkSetup } from "../../ports/network_port.ts";
import type { Operation } from "../../store/table.ts";
import { isCode } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { PortClaims } from "./port_claims.ts";
import { canPublish } from "../create/validate.ts";

/** The kind of the intents that outlive a container's record while its network is taken down. */
export const TEARDOWN_INTENT = "container.teardown";

const TRIES = 3;
const RETRY_MS = 1000;

/** A teardown on its way; `done` tells whether it succeeded. */
interface Teardown {
  readonly setup: NetworkSetup;
  readonly done: Promise<boolean>;
}

/**
 * Takes networks of ended containers down, behind the answers: it is the slowest part of an end, and nobody waits for it
 * but the same container's next start. Until it is done the container's addresses and ports stay taken.
 */
export class Teardowns {
  readonly #core: Core;
  readonly #networks: Networks;
  readonly #portClaims: PortClaims;
  readonly #closing: AbortSignal;
  readonly #running = new Map<string, Teardown>();
  /** The networks that the host failed to take down, by container ID. */
  readonly #failed = new Map<string, NetworkSetup>();

  constructor(core: Core, networks: Networks, portClaims: PortClaims, closing: AbortSignal) {
    this.#core = core;
    this.#networks = networks;
    this.#portClaims = portClaims;
    this.#closing = closing;
  }

  /**
   * Starts taking a container's network down. Never rejects; what fails for good is left to the next recovery.
   *
   * @param gone When the container's process holds its ports no longer: others may have them then
   */
  async begin(record: ContainerRecord, gone?: Promise<void>): Promise<void> {
    if (!hasNamespace(record)) return;
    const netns = requireHost(this.#core).networks.path(record.id);
    await this.#begin(setupOf(record, netns, (name) => this.#find(name)), gone).done;
  }

  /** Resolves when nothing of the container's network is being taken down any more. */
  async settled(id: string): Promise<void> {
    while (this.#running.has(id)) await this.#running.get(id)?.done;
  }

  /** Resolves when no teardown of any container runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Resolves when no container is being taken out of a network any more. */
  async leftNetwork(name: string): Promise<void> {
    const isOfNetwork = ({ setup }: Teardown) => setup.attachments.some(({ network }) => network.name === name);
    for (;;) {
      const leaving = [...this.#running.values()].filter(isOfNetwork);
      if (leaving.length === 0) return;
      await Promise.all(leaving.map(({ done }) => done));
    }
  }

  /**
   * For a container whose record goes: the operation that keeps its teardown known across a crash, and what to call once
   * that is committed. Nothing when its network is down already.
   */
  handOver(id: string): { operations: Operation[]; after: () => Promise<void> } {
    const running = this.#running.get(id);
    const setup = running?.setup ?? this.#failed.get(id);
    if (!setup) return { operations: [], after: () => Promise.resolve() };
    const { intent, operation } = this.#core.intents.begin(TEARDOWN_INTENT, id, { setup: encode(setup) });
    const after = async () => {
      if (await running?.done) await this.#core.state.commit([this.#core.intents.end(intent)]);
    };
    return { operations: [operation], after };
  }

  /** Does again what an intent of an earlier run says. */
  async resume(intent: Intent): Promise<void> {
    // Written by handOver.
    const { done } = this.#begin(decode<NetworkSetup>(intent.details.setup));
    if (await done) await this.#core.state.commit([this.#core.intents.end(intent)]);
  }

  #begin(setup: NetworkSetup, gone: Promise<void> = Promise.resolve()): Teardown {
    const id = setup.containerID;
    this.#failed.delete(id);
    const both = [this.#tearDown(setup), gone.catch(() => {})] as const;
    const done = Promise.all(both).then(([succeeded]) => {
      if (this.#running.get(id) === teardown) this.#running.delete(id);
      if (succeeded) this.#release(id);
      else this.#failed.set(id, setup);
      return succeeded;
    });
    const teardown = { setup, done };
    this.#running.set(id, teardown);
    return teardown;
  }

  #release(id: string): void {
    this.#networks.release(id);
    this.#portClaims.release(id);
  }

  async #tearDown(setup: NetworkSetup): Promise<boolean> {
    const { networks } = requireHost(this.#core);
    for (let attempt = 1; !this.#closing.aborted; attempt++) {
      try {
        if (setup.attachments.length > 0 || setup.userNetwork !== undefined) await networks.teardown(setup);
        await networks.deleteNamespace(setup.containerID);
        return true;
      } catch (error) {
        this.#core.log("warn", `Take down the network of container ${setup.containerID}: ${messageOf(error)}`);
      }
      if (attempt === TRIES) break;
      await this.#core.clock.sleep(RETRY_MS, this.#closing).catch(() => {});
    }
    return false;
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
  return mode === "none" || canPublish(mode);
}

/** Returns the setup by which the host connects or disconnects a container. Networks that are gone are left out. */
export function setupOf(
  record: ContainerRecord,
  netns: string,
  find: (name: string) => NetworkRecord | undefined,
): NetworkSetup {
  const attachments = Object.entries(record.networks).flatMap(([name, attachment]) => {
    const network = find(name);
    return network ? [{ network, attachment }] : [];
  });
  const { dnsServers, namespaces } = record.spec;
  const userNetwork = userNetworkOf(namespaces.network);
  const { id: containerID, name: containerName, ports } = record;
  return { containerID, containerName, netns, attachments, ports, dnsServers, ...userNetwork && { userNetwork } };
}
