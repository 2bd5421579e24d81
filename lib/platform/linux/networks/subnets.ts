/**
 * Reserving a bridge name and subnets that nobody on this machine has, other Gantry servers included.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Place, PlacesTaken } from "../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { addressAt, findSubnet, parseSubnet, subnetsOverlap } from "../../../engine/text/ip.ts";
import { withFileLock } from "../helpers/file_lock.ts";
import { HostPlaces } from "./host_places.ts";
import { Notes, type Reservation, subnetsOfNote } from "./notes.ts";
import { TakenPlaces } from "./taken_places.ts";

/** The folder in which servers with different roots note their choices: it has to outlast reboots, as their roots do. */
export const SHARED_FOLDER = "/var/lib/gantry-networks";

/** The lock of the folder; netavark's calls have another one, and are made while this one is held. */
const CHOOSING = ".choosing";

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
export class Subnets implements Disposable {
  readonly #root: string;
  readonly #shared: string;
  readonly #lock: string;
  readonly #host = new HostPlaces();
  readonly #notes: Notes;
  readonly #taken = new TakenPlaces();
  /** How far foreign notes were looked at for choices that nobody has recorded. */
  #checked = -1;
  /** Bridges that this process has proposed and nobody may have recorded yet. */
  readonly #issued = new Set<string>();

  constructor(root: string, shared: string = SHARED_FOLDER) {
    this.#root = root;
    this.#shared = shared;
    this.#lock = join(shared, CHOOSING);
    this.#notes = new Notes(shared, this.#host.folders, (before, after) => this.#taken.setNote(before, after));
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
      const notes = this.#notes.all();
      for (const note of this.#abandoned(notes)) if (await takeDown(note)) this.#notes.drop(note.interface);
      const hasLost = this.#taken.setRecords(recorded);
      if (hasLost || this.#checked !== this.#notes.foreign) this.#dropUnrecorded(notes);
      this.#checked = this.#notes.foreign;
      const host = await this.#host.read();
      this.#taken.setHost(host);
      const place = choose({
        interfaces: host.interfaces,
        bridges: { has: (name) => notes.has(name) || this.#taken.hasBridge(name) },
        subnets: this.#taken.subnets,
      });
      const known = notes.get(place.interface);
      this.#write(place.interface, place.subnets.map(({ subnet }) => subnet), { known, isMade: false });
      return place;
    });
  }

  /** Notes that a choice's bridge is made; false when another server has the name or a part of the subnets. */
  async renew({ interface: name, subnets }: Pick<NetworkRecord, "interface" | "subnets">): Promise<boolean> {
    const mine = subnets.map(({ subnet }) => subnet);
    return await this.#alone(() => {
      const isRival = (note: Reservation) =>
        note.root !== this.#root && (note.interface === name || anyOverlap(subnetsOfNote(note), mine));
      const notes = this.#notes.all();
      if (notes.values().some(isRival)) return false;
      this.#write(name, mine, { known: notes.get(name), isMade: true });
      return true;
    });
  }

  /** Whether a bridge of this server may have been made. */
  isMade(name: string): boolean {
    const note = this.#notes.get(name);
    return note?.root !== this.#root || note.made !== false;
  }

  /**
   * Whether a bridge is another server's now: of one that has its note, and its root. A server that was killed when it had taken a bridge
   * down, and had not yet noted that, finds it so.
   */
  isOthers(name: string): boolean {
    const note = this.#notes.get(name);
    return note !== undefined && note.root !== this.#root && existsSync(note.root);
  }

  /**
   * Gives a choice back, if it is this server's.
   *
   * @param subnets The subnets that are given back, all by default; the note keeps those of other networks on the bridge, one that is being made
   * included
   * @param isShared Whether there are such networks: they may have no subnets
   */
  async release(name: string, subnets?: readonly string[], isShared = false): Promise<void> {
    await this.#alone(() => {
      const note = this.#notes.get(name);
      const all = note === undefined || subnets === undefined ? [] : subnetsOfNote(note);
      const rest = all.filter((subnet) => !subnets?.includes(subnet));
      if (rest.length === 0 && !isShared) this.#issued.delete(name);
      if (note?.root !== this.#root) return;
      if (rest.length === 0 && !isShared) this.#notes.drop(name);
      else this.#notes.put({ ...note, subnet: rest[0] ?? "", subnets: rest });
    });
  }

  /** Gives back what an earlier process of this server has chosen, and has neither recorded nor made. */
  async releaseUnrecorded(recorded: readonly NetworkRecord[]): Promise<void> {
    const bridges = new Set(recorded.map((network) => network.interface));
    const isLeft = (name: string) => {
      const note = bridges.has(name) || this.#issued.has(name) ? undefined : this.#notes.get(name);
      return note?.root === this.#root && note.made === false;
    };
    // Nobody is asked for the lock at a start that finds nothing, which is any but the one after a crash.
    if (!this.#notes.names().some(isLeft)) return;
    await this.#alone(() => {
      for (const name of this.#notes.names().filter(isLeft)) this.#notes.drop(name);
    });
  }

  /** Hears no more of the kernel. */
  [Symbol.dispose](): void {
    this.#host[Symbol.dispose]();
  }

  /** The notes of roots that are gone. One holds until its bridge is taken down: without it nobody would know of the bridge any more. */
  #abandoned(notes: ReadonlyMap<string, Reservation>): Reservation[] {
    const gone = new Set(this.#taken.roots().filter((root) => root !== this.#root && !existsSync(root)));
    return gone.size === 0 ? [] : [...notes.values()].filter(({ root }) => gone.has(root));
  }

  /** Drops our own choices that were never recorded: of an earlier process, as those of this one may still be. */
  #dropUnrecorded(notes: ReadonlyMap<string, Reservation>): void {
    const dropped: string[] = [];
    for (const { root, interface: name } of notes.values()) {
      if (root === this.#root && !this.#taken.hasBridge(name) && !this.#issued.has(name)) dropped.push(name);
    }
    for (const name of dropped) this.#notes.drop(name);
  }

  /** Networks that share a bridge share its note. */
  #write(name: string, subnets: readonly string[], { known, isMade }: Written): void {
    const own = known?.root === this.#root ? known : undefined;
    const all = [...new Set([...own ? subnetsOfNote(own) : [], ...subnets])];
    // Of a note of an earlier version nobody knows.
    const made = isMade || (own !== undefined && own.made !== false);
    this.#notes.put({ interface: name, root: this.#root, subnet: all[0] ?? "", subnets: all, made });
    this.#issued.add(name);
  }

  async #alone<T>(run: () => T | Promise<T>): Promise<T> {
    let hasBegun = false;
    const work = () => {
      hasBegun = true;
      return run();
    };
    try {
      return await withFileLock(this.#lock, work);
    } catch (error) {
      // It is made at the start, and somebody may have removed it since: there was no file to lock.
      if (hasBegun || existsSync(this.#shared)) throw error;
      await mkdir(this.#shared, { recursive: true, mode: 0o755 });
      return await withFileLock(this.#lock, work);
    }
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
    subnets: subnetsOfNote(note).map((subnet) => ({ subnet, gateway: addressAt(parseSubnet(subnet), 1) })),
    ipv6: false,
    internal: false,
    dns: false,
    labels: {},
    options: {},
  };
}

function anyOverlap(theirs: readonly string[], mine: readonly string[]): boolean {
  const [first, second] = [theirs, mine].map((texts) => texts.flatMap((text) => findSubnet(text) ?? []));
  return first.some((a) => second.some((b) => subnetsOverlap(a, b)));
}
