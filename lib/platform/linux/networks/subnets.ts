/**
 * Reserving a bridge name and subnets that nobody on this machine has, other Gantry servers included.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Place, PlacesTaken } from "../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { addressAt, findSubnet, parseSubnet, subnetsOverlap } from "../../../engine/text/ip.ts";
import { withFileLock } from "../helpers/file_lock.ts";
import { hostSubnets } from "./host_subnets.ts";

/** The folder in which servers with different roots note their choices: it has to outlast reboots, as their roots do. */
export const SHARED_FOLDER = "/var/lib/gantry-networks";

const PODMAN_NETWORKS = "/etc/containers/networks";

/** The lock of the folder; netavark's calls have another one, and are made while this one is held. */
const CHOOSING = ".choosing";

/** One note in the shared folder, named after its bridge. */
export interface Reservation {
  interface: string;
  root: string;
  /** The first of `subnets`, which is all that earlier versions know. */
  subnet: string;
  subnets?: string[];
  /** False while its bridge was never made, so that nothing of it is to be taken down. Notes of earlier versions do not say. */
  made?: boolean;
}

/** A note that is written anew. */
interface Written {
  /** The note that stands there, whoever wrote it. */
  known: Reservation | undefined;
  isMade: boolean;
}

/**
 * Proposals of one server, kept free of those of others. Whoever looks at the notes to write or remove one holds the lock of
 * the folder meanwhile: a look is worth nothing when another server may write in the next moment.
 */
export class Subnets {
  readonly #root: string;
  readonly #shared: string;
  /** Bridges that this process has proposed and nobody may have recorded yet. */
  readonly #issued = new Set<string>();

  constructor(root: string, shared: string = SHARED_FOLDER) {
    this.#root = root;
    this.#shared = shared;
  }

  /**
   * Lets `choose` choose among what is free and reserves the result.
   *
   * Forgets before what roots that are gone have left, each after `takeDown` did away with its bridge; a false one stays noted. No
   * other server chooses meanwhile: what it chose would have the name of what is taken down here.
   */
  async reserve(
    recorded: readonly NetworkRecord[],
    choose: (taken: PlacesTaken) => Place,
    takeDown: (note: Reservation) => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<Place> {
    return await this.#alone(async () => {
      const notes = this.#read();
      const forgotten = new Set<Reservation>();
      for (const note of notes) {
        if (existsSync(note.root) || !await takeDown(note)) continue;
        this.#remove(note.interface);
        forgotten.add(note);
      }
      const reserved = this.#reservations(notes.filter((note) => !forgotten.has(note)), recorded);
      const bridges = recorded.filter(({ driver }) => driver === "bridge");
      const place = choose({
        interfaces: new Set(readdirSync("/sys/class/net")),
        bridges: new Set([...bridges, ...reserved].map((each) => each.interface)),
        subnets: [
          ...await hostSubnets(),
          ...podmanSubnets(),
          ...bridges.flatMap((network) => network.subnets.map(({ subnet }) => subnet)),
          ...reserved.flatMap(subnetsOf),
        ],
      });
      const known = reserved.find((note) => note.interface === place.interface);
      this.#write(place.interface, place.subnets.map(({ subnet }) => subnet), { known, isMade: false });
      return place;
    });
  }

  /** Notes that a choice's bridge is made; false when another server has the name or a part of the subnets. */
  async renew({ interface: name, subnets }: Pick<NetworkRecord, "interface" | "subnets">): Promise<boolean> {
    const mine = subnets.map(({ subnet }) => subnet);
    return await this.#alone(() => {
      const isRival = (note: Reservation) =>
        note.root !== this.#root && (note.interface === name || anyOverlap(subnetsOf(note), mine));
      const notes = this.#read();
      if (notes.some(isRival)) return false;
      this.#write(name, mine, { known: notes.find((note) => note.interface === name), isMade: true });
      return true;
    });
  }

  /** Whether a bridge of this server may have been made. */
  isMade(name: string): Promise<boolean> {
    const note = readNote(this.#shared, name);
    return Promise.resolve(note?.root !== this.#root || note.made !== false);
  }

  /** Gives a choice back, if it is this server's. */
  async release(name: string): Promise<void> {
    this.#issued.delete(name);
    await this.#alone(() => {
      if (readNote(this.#shared, name)?.root === this.#root) this.#remove(name);
    });
  }

  /**
   * The choices that hold: all but our own that were never recorded, which are dropped. One of a root that is gone holds until
   * its bridge is taken down: without its note nobody would know of the bridge any more.
   */
  #reservations(notes: readonly Reservation[], taken: readonly NetworkRecord[]): Reservation[] {
    const recorded = new Set(taken.map((network) => network.interface));
    const holding: Reservation[] = [];
    for (const note of notes) {
      const isOurs = note.root === this.#root;
      if (!isOurs || recorded.has(note.interface) || this.#issued.has(note.interface)) holding.push(note);
      else this.#remove(note.interface);
    }
    return holding;
  }

  #read(): Reservation[] {
    const names = existsSync(this.#shared) ? readdirSync(this.#shared).filter((name) => !name.startsWith(".")) : [];
    const notes = names.map((name) => readNote(this.#shared, name));
    return notes.filter((note) => note !== undefined);
  }

  /** Whole or not at all, for a server that is killed meanwhile. Networks that share a bridge share its note. */
  #write(name: string, subnets: readonly string[], { known, isMade }: Written): void {
    const own = known?.root === this.#root ? known : undefined;
    const all = [...new Set([...own ? subnetsOf(own) : [], ...subnets])];
    // Of a note of an earlier version nobody knows.
    const made = isMade || (own !== undefined && own.made !== false);
    const next: Reservation = { interface: name, root: this.#root, subnet: all[0] ?? "", subnets: all, made };
    const temporary = join(this.#shared, `.${randomUUID()}`);
    try {
      writeFileSync(temporary, JSON.stringify(next));
      renameSync(temporary, join(this.#shared, name));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    this.#issued.add(name);
  }

  #remove(name: string): void {
    rmSync(join(this.#shared, name), { force: true });
  }

  async #alone<T>(run: () => T | Promise<T>): Promise<T> {
    if (!existsSync(this.#shared)) await mkdir(this.#shared, { recursive: true, mode: 0o755 });
    return await withFileLock(join(this.#shared, CHOOSING), async () => await run());
  }
}

/** As much of a network as its note tells, which is what taking it down needs. */
export function reservedNetwork(note: Reservation): NetworkRecord {
  const { interface: name } = note;
  return {
    id: "",
    name,
    driver: "bridge",
    interface: name,
    created: new Date(0).toISOString(),
    subnets: subnetsOf(note).map((subnet) => ({ subnet, gateway: addressAt(parseSubnet(subnet), 1) })),
    ipv6: false,
    internal: false,
    dns: false,
    labels: {},
    options: {},
  };
}

function subnetsOf({ subnet, subnets }: Reservation): string[] {
  return subnets ?? [subnet].filter((text) => text !== "");
}

function anyOverlap(theirs: readonly string[], mine: readonly string[]): boolean {
  const [first, second] = [theirs, mine].map((texts) => texts.flatMap((text) => findSubnet(text) ?? []));
  return first.some((a) => second.some((b) => subnetsOverlap(a, b)));
}

/** Reads one note. All of them are read for each choice: a call that waits costs ten times as much as one that reads a line. */
function readNote(folder: string, name: string): Reservation | undefined {
  try {
    // Written whole or not at all; root's folder.
    return JSON.parse(readFileSync(join(folder, name), "utf8")) as Reservation;
  } catch {
    return undefined;
  }
}

/** The names of Podman's files; none where it has no networks, or this user may not look. */
function podmanFiles(): string[] {
  // Most hosts have none, and an error costs more than the question.
  if (!existsSync(PODMAN_NETWORKS)) return [];
  try {
    return readdirSync(PODMAN_NETWORKS);
  } catch {
    return [];
  }
}

/** Subnets of the networks Debian's Podman keeps for root, in use or not. */
function podmanSubnets(): string[] {
  return podmanFiles().filter((name) => name.endsWith(".json")).flatMap((name) => {
    try {
      const text = readFileSync(join(PODMAN_NETWORKS, name), "utf8");
      // Podman's file; anything unexpected in it is skipped.
      const network = JSON.parse(text) as { subnets?: { subnet?: string }[] };
      return (network.subnets ?? []).map(({ subnet }) => subnet ?? "");
    } catch {
      return [];
    }
  });
}
