import { existsSync, readdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { readTextBoundedSync } from "../../helpers/bounded_read.ts";
import type { HostContext } from "../../helpers/context.ts";
import { containerPaths } from "../../helpers/paths.ts";
import type { Cgroups } from "../../resources/cgroups.ts";
import { type Facts, readFacts } from "../facts.ts";
import { isAlive, type ProcessMark, signalIfThere } from "../../helpers/proc.ts";

/** How long a supervisor may take over its last words once its container is dead. */
const PATIENCE = 10_000;
const POLL = 5;
/** The names that a container's bundle may have. */
const ID = /^[0-9A-Za-z][0-9A-Za-z_.-]*$/;
const COMMAND_LIMIT = 64 * 1024;
/** How often containers without a supervisor are looked at. */
const ORPHAN_POLL = 1_000;
/** The exit code recorded for a container whose exit nobody saw. */
const UNKNOWN_EXIT = "-1";

/** The conmon processes of a host: children of this process's nursery, and those of an earlier one. */
export class Supervisors {
  readonly #context: HostContext;
  readonly #cgroups: Cgroups;
  readonly #ended: (containerID: string) => void;
  readonly #children = new Map<string, Promise<unknown>>();
  /** Containers whose supervisor died before them. */
  readonly #orphans = new Map<string, ProcessMark>();
  /** How many bundles an earlier server has left. */
  readonly #earlier: number;
  readonly #timer: ReturnType<typeof setInterval>;

  /** `ended` is told of each container whose supervisor has ended. */
  constructor(context: HostContext, cgroups: Cgroups, ended: (containerID: string) => void) {
    this.#context = context;
    this.#cgroups = cgroups;
    this.#ended = ended;
    const earlier = readdirSync(context.paths.bundles).filter((id) => ID.test(id));
    this.#earlier = earlier.length;
    for (const id of earlier) this.#adoptOrphan(id);
    this.#timer = setInterval(() => this.#checkOrphans(), ORPHAN_POLL);
    this.#timer.unref();
  }

  /** Takes note of a supervisor whose end is heard of. */
  add(containerID: string, ended: Promise<unknown>): void {
    this.#children.set(containerID, ended);
    ended.then(() => {
      if (this.#children.get(containerID) === ended) this.#children.delete(containerID);
      this.#ended(containerID);
      this.#adoptOrphan(containerID);
    });
  }

  /** How many there are, at most. */
  get count(): number {
    return this.#children.size + this.#earlier;
  }

  /** Resolves when the supervisor of a dead container has ended, by force when it takes too long. */
  async settled(containerID: string, facts: Facts | undefined): Promise<void> {
    this.#orphans.delete(containerID);
    if (facts === undefined) return;
    const timeout = new AbortController();
    const late = sleep(PATIENCE, false, { signal: timeout.signal }).catch(() => false);
    const child = this.#children.get(containerID);
    const ended = child === undefined ? untilDead(facts.conmon, timeout.signal) : child.then(() => true);
    const inTime = await Promise.race([ended, late]);
    timeout.abort();
    if (inTime) return;
    this.#context.log("warn", `Delete container ${containerID}: its supervisor does not end, killing it`);
    if (isAlive(facts.conmon)) process.kill(facts.conmon.pid, "SIGKILL");
    await child;
  }

  /** Kills a supervisor that an earlier server process started without living to take note of it. */
  async endUnknown(containerID: string): Promise<void> {
    for (const pid of await this.#cgroups.supervisors()) {
      if (commandLine(pid).includes(containerID)) signalIfThere(pid, "SIGKILL");
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #adoptOrphan(containerID: string): void {
    const container = containerPaths(this.#context.paths, containerID);
    const facts = readFacts(container.facts);
    if (facts === undefined || isAlive(facts.conmon) || existsSync(container.exit)) return;
    this.#orphans.set(containerID, facts.container);
  }

  /** An orphan's end is written down as conmon would have done it, so that it is told of like any other. */
  #checkOrphans(): void {
    for (const [id, mark] of this.#orphans) {
      if (isAlive(mark)) continue;
      this.#orphans.delete(id);
      writeFileSync(containerPaths(this.#context.paths, id).exit, UNKNOWN_EXIT, { flag: "a" });
      this.#ended(id);
    }
  }
}

async function untilDead(mark: ProcessMark, signal: AbortSignal): Promise<boolean> {
  while (isAlive(mark) && !signal.aborted) await sleep(POLL);
  return true;
}

function commandLine(pid: number): string[] {
  try {
    return (readTextBoundedSync(`/proc/${pid}/cmdline`, COMMAND_LIMIT) ?? "").split("\0");
  } catch {
    return [];
  }
}
