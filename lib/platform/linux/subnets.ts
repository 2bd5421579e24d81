/**
 * Choosing a bridge name and a subnet that nobody on this machine has, other Gantry servers included.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../engine/errors.ts";
import type { NetworkRecord } from "../../engine/network_record.ts";
import { addressAt, overlap, parseSubnet, type Subnet } from "./cidr.ts";
import { runCommand } from "./command.ts";
import { namesIn } from "./tree.ts";

/** A bridge name and its subnet, not used by anything. */
export interface Proposal {
  interface: string;
  subnet: string;
  gateway: string;
}

/** Where servers with different roots note what they chose: it has to outlast reboots, as their roots do. */
export const SHARED_FOLDER = "/var/lib/gantry-networks";

/** 1022 containers, about as many as a bridge has ports. */
const PREFIX = 22;
/** Below the ranges Podman (10.88.0.0 and up), Docker (172.17.0.0 and up) and Kubernetes (10.96.0.0 and up) choose from. */
const POOLS = Array.from({ length: 8 }, (_, index) => `10.${87 - index}.0.0/16`);
/** Podman's default network exists only while it is in use. */
const NEVER = ["10.88.0.0/16"];
const PODMAN_NETWORKS = "/etc/containers/networks";

/** Milliseconds that one of two servers may wait which have chosen the same. */
const LONGEST_PAUSE = 50;

/** One note in the shared folder, named after its bridge. */
export interface Reservation {
  interface: string;
  root: string;
  subnet: string;
}

/** Proposals of one server, kept free of those of others. */
export class Subnets {
  readonly #root: string;
  readonly #shared: string;
  /** What this process has proposed and nobody may have recorded yet. */
  readonly #issued = new Set<string>();
  /** Proposals of one server follow each other, so that each sees the one before. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(root: string, shared: string = SHARED_FOLDER) {
    this.#root = root;
    this.#shared = shared;
  }

  /** Finds a free bridge name and subnet and reserves both. */
  propose(taken: readonly NetworkRecord[]): Promise<Proposal> {
    const turn = this.#last.then(() => this.#propose(taken));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #propose(taken: readonly NetworkRecord[]): Promise<Proposal> {
    for (let attempt = 0; attempt < 32; attempt++) {
      const reserved = await this.#reservations(taken);
      const names = new Set([
        ...await namesIn("/sys/class/net"),
        ...taken.map((network) => network.interface),
        ...reserved.map((note) => note.interface),
      ]);
      const used = [
        ...NEVER,
        ...await hostSubnets(),
        ...await podmanSubnets(),
        ...taken.flatMap((network) => network.subnets.map(({ subnet }) => subnet)),
        ...reserved.map((note) => note.subnet),
      ].map(parseSubnet).filter((subnet) => subnet !== undefined);
      const subnet = freeSubnet(used);
      const name = freeName(names);
      const proposal = { interface: name, subnet, gateway: addressAt(parseSubnet(subnet)!, 1) };
      if (await this.reserve(proposal)) return proposal;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE));
    }
    throw new EngineError("internal", "Choose subnet: other servers keep choosing the same");
  }

  /** Notes a choice, again or for the first time; false when another server has the name or the subnet. */
  async reserve({ interface: name, subnet }: { interface: string; subnet: string }): Promise<boolean> {
    await mkdir(this.#shared, { recursive: true, mode: 0o755 });
    const temporary = join(this.#shared, `.${randomUUID()}`);
    const note: Reservation = { interface: name, root: this.#root, subnet };
    this.#issued.add(name);
    try {
      await writeFile(temporary, JSON.stringify(note));
      await link(temporary, join(this.#shared, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if ((await readNote(this.#shared, name))?.root === this.#root) return true;
      this.#issued.delete(name);
      return false;
    } finally {
      await rm(temporary, { force: true });
    }
    // A server that chose at the same moment has another name and may have the same subnet. It may have looked before this
    // note was there, and keep it: whoever sees the other gives way, and chooses again a little later.
    const mine = parseSubnet(subnet)!;
    const rival = (await this.#read()).find((other) => {
      const theirs = parseSubnet(other.subnet);
      return other.interface !== name && theirs !== undefined && overlap(theirs, mine);
    });
    if (rival === undefined) return true;
    await this.release(name);
    return false;
  }

  /** Gives a choice back, if it is this server's. */
  async release(name: string): Promise<void> {
    this.#issued.delete(name);
    const note = await readNote(this.#shared, name);
    if (note?.root === this.#root) await rm(join(this.#shared, name), { force: true });
  }

  /** What roots that are gone have left. */
  async abandoned(): Promise<Reservation[]> {
    const notes = await this.#read();
    const there = await Promise.all(notes.map((note) => exists(note.root)));
    return notes.filter((_, index) => !there[index]);
  }

  /** Forgets what a root that is gone had. */
  async forget(note: Reservation): Promise<void> {
    if (!await exists(note.root)) await rm(join(this.#shared, note.interface), { force: true });
  }

  /**
   * The choices that hold: all but our own that were never recorded, which are dropped. One of a root that is gone holds until
   * its bridge is taken down: without its note nobody would know of the bridge any more.
   */
  async #reservations(taken: readonly NetworkRecord[]): Promise<Reservation[]> {
    const recorded = new Set(taken.map((network) => network.interface));
    const holding: Reservation[] = [];
    for (const note of await this.#read()) {
      const isOurs = note.root === this.#root;
      if (!isOurs || recorded.has(note.interface) || this.#issued.has(note.interface)) holding.push(note);
      else await rm(join(this.#shared, note.interface), { force: true });
    }
    return holding;
  }

  async #read(): Promise<Reservation[]> {
    const names = (await namesIn(this.#shared)).filter((name) => !name.startsWith("."));
    const notes = await Promise.all(names.map((name) => readNote(this.#shared, name)));
    return notes.filter((note) => note !== undefined);
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}

async function readNote(folder: string, name: string): Promise<Reservation | undefined> {
  try {
    // Written by reserve(), whole or not at all; root's folder.
    return JSON.parse(await readFile(join(folder, name), "utf8")) as Reservation;
  } catch {
    return undefined;
  }
}

function freeName(names: ReadonlySet<string>): string {
  for (let number = 0;; number++) if (!names.has(`gantry${number}`)) return `gantry${number}`;
}

function freeSubnet(used: readonly Subnet[]): string {
  for (const pool of POOLS.map((text) => parseSubnet(text)!)) {
    for (let index = 0; index < 1 << (PREFIX - pool.prefix); index++) {
      const subnet = parseSubnet(`${addressAt(pool, index << (32 - PREFIX))}/${PREFIX}`)!;
      if (!used.some((other) => overlap(other, subnet))) return `${addressAt(subnet, 0)}/${PREFIX}`;
    }
  }
  throw new EngineError("limit", "Choose subnet: every subnet of the pool is in use on this host");
}

/** Addresses of interfaces (those that are down have no route) and destinations of routes. The default route is none. */
async function hostSubnets(): Promise<string[]> {
  const [addresses, routes] = await Promise.all([
    runCommand("ip", ["-json", "address", "show"]),
    runCommand("ip", ["-json", "route", "show", "table", "all"]),
  ]);
  // iproute2's own JSON; what is missing there is undefined and falls out.
  const interfaces = JSON.parse(addresses.stdout || "[]") as {
    addr_info?: { local?: string; prefixlen?: number }[];
  }[];
  const destinations = JSON.parse(routes.stdout || "[]") as { dst?: string; type?: string }[];
  return [
    ...interfaces.flatMap(({ addr_info }) => (addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`)),
    ...destinations.filter(({ dst }) => dst !== undefined && dst !== "default" && !dst.endsWith("/0")).map(({ dst }) =>
      dst!
    ),
  ];
}

/** Subnets of the networks Debian's Podman keeps for root, in use or not. */
async function podmanSubnets(): Promise<string[]> {
  const files = (await readdir(PODMAN_NETWORKS).catch(() => [])).filter((name) => name.endsWith(".json"));
  const found = await Promise.all(files.map(async (name) => {
    try {
      const text = await readFile(join(PODMAN_NETWORKS, name), "utf8");
      // Podman's file; anything unexpected in it is skipped.
      const network = JSON.parse(text) as { subnets?: { subnet?: string }[] };
      return (network.subnets ?? []).map(({ subnet }) => subnet ?? "");
    } catch {
      return [];
    }
  }));
  return found.flat();
}
