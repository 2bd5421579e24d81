import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { PublishedPorts } from "../../../engine/ports/network_port.ts";
import { Locks } from "../../../engine/store/locks.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { endForwarding, forwardPorts, restoreForwarding } from "./forwarded_ports.ts";

/** Milliseconds between two looks at the processes. */
const CHECK = 1000;
/** The most milliseconds until a process that cannot be had is tried again. */
const LONGEST_PAUSE = 60_000;

/** Choices of {@linkcode PortForwards}. */
export interface PortForwardsOptions {
  /** The folder in which the processes are noted. */
  folder: string;
  /** The namespace of an ordinary user's bridges; without one IPv6 is published only. */
  netns: string | undefined;
  /** Whether a container still has its network. */
  isConnected: (containerID: string) => boolean;
  log: (level: "warn", message: string) => void;
}

/**
 * The processes that listen on published ports, of all containers. One that ends while its container is connected, killed by whomever, gets a
 * successor with the same ports within about a second. One that is stopped goes on.
 */
export class PortForwards {
  readonly #options: PortForwardsOptions;
  /** One lock for each container: a process that is ended on purpose gets no successor. */
  readonly #locks = new Locks();
  readonly #closing = new AbortController();
  /** Containers whose processes could not be had, with the moment of the next try and the pause after that. */
  readonly #failed = new Map<string, { next: number; pause: number }>();
  #isWatching = false;

  constructor(options: PortForwardsOptions) {
    this.#options = options;
    // The server before may have left some.
    void this.#watch();
  }

  /** As {@linkcode forwardPorts}. */
  async publish(ports: PublishedPorts): Promise<void> {
    const { folder, netns } = this.#options;
    await this.#locks.with(ports.containerID, () => forwardPorts(folder, netns, ports));
    void this.#watch();
  }

  /** As {@linkcode endForwarding}. */
  async end(containerID: string): Promise<void> {
    await this.#locks.with(containerID, () => endForwarding(this.#options.folder, containerID));
    this.#failed.delete(containerID);
  }

  /** Ends the watch; the processes go on. */
  close(): void {
    this.#closing.abort();
  }

  /** Looks at the processes as long as there are any. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const found = notedContainers(this.#options.folder);
      if (found.length === 0) break;
      for (const id of found) await this.#check(id);
      await sleep(CHECK, undefined, { signal, ref: false }).catch(() => {});
    }
    this.#isWatching = false;
  }

  async #check(id: string): Promise<void> {
    const { folder, netns, isConnected, log } = this.#options;
    const { next = 0, pause = CHECK } = this.#failed.get(id) ?? {};
    if (performance.now() < next) return;
    try {
      const isNew = await this.#locks.with(id, () => restoreForwarding(folder, netns, id, isConnected(id)));
      if (isNew) log("warn", `Container ${id}: the process of its published ports had ended, and was started again`);
      this.#failed.delete(id);
    } catch (error) {
      const pauseAfter = Math.min(LONGEST_PAUSE, 2 * pause);
      this.#failed.set(id, { next: performance.now() + pause, pause: pauseAfter });
      log("warn", `Container ${id}: start the process of its published ports again: ${messageOf(error)}`);
    }
  }
}

/** The containers whose processes are noted. */
function notedContainers(folder: string): string[] {
  try {
    // Of the runroot, which lies in memory.
    return readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}
