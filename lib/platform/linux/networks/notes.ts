/**
 * The notes of bridges and subnets in the folder that servers share, one file each, named after its bridge.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";
import type { FolderNews } from "../helpers/kernel_news.ts";

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

/**
 * The notes, kept in memory as long as the kernel tells of every change: a server with hundreds of networks has as many notes. Without `news`
 * each look reads them all.
 *
 * A look takes no lock, but is worth nothing for a change without that of the folder.
 */
export class Notes {
  readonly #folder: string;
  readonly #news?: FolderNews;
  readonly #known = new Map<string, Reservation>();

  constructor(folder: string, news?: FolderNews) {
    this.#folder = folder;
    this.#news = news;
  }

  /** Every note, by its bridge. The map is not to be kept: it changes with the notes. */
  all(): ReadonlyMap<string, Reservation> {
    const changed = this.#news?.take(this.#folder);
    if (changed === undefined) this.#readAll();
    else if (changed.length > 0) { for (const name of new Set(changed)) this.#readAgain(name); }
    return this.#known;
  }

  /** The note of a bridge. */
  get(name: string): Reservation | undefined {
    return this.#news === undefined ? readNote(this.#folder, name) : this.all().get(name);
  }

  /** Writes a note. The folder's lock is the caller's. */
  put(note: Reservation): void {
    const path = join(this.#folder, note.interface);
    const text = JSON.stringify(note);
    // A server that is killed here leaves a file with nothing in it, which is no note to anybody.
    // To make a file is one event and to write it another; a file that takes a name is one.
    const own = this.#create(path, text) ? 2 : 1;
    if (own === 1) this.#replace(path, text);
    this.#settle(note.interface, note, own);
  }

  /** Removes the note of a bridge. The folder's lock is the caller's. */
  drop(name: string): void {
    try {
      unlinkSync(join(this.#folder, name));
    } catch (error) {
      if (!hasSystemCode(error, "ENOENT")) throw error;
    }
    this.#settle(name, undefined, 1);
  }

  /** Makes a file that is not there yet, in half the time that its replacement takes. False where there is one. */
  #create(path: string, text: string): boolean {
    try {
      writeFileSync(path, text, { flag: "wx" });
      return true;
    } catch (error) {
      if (hasSystemCode(error, "EEXIST")) return false;
      rmSync(path, { force: true });
      throw error;
    }
  }

  /** Whole or not at all: until then the note that stands there holds. */
  #replace(path: string, text: string): void {
    const temporary = join(this.#folder, `.${randomUUID()}`);
    try {
      writeFileSync(temporary, text);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /**
   * Takes a change of this server over into memory where the kernel tells of no other one. Whoever does not care for the lock may have
   * written the same note: it is read again then.
   *
   * @param own How many events the change makes
   */
  #settle(name: string, note: Reservation | undefined, own: number): void {
    // Without news the next look reads it all again.
    const changed = this.#news === undefined ? Array(own).fill(name) : this.#news.take(this.#folder);
    if (changed === undefined) return this.#readAll();
    const others = changed.filter((each) => each !== name);
    for (const other of new Set(others)) this.#readAgain(other);
    if (changed.length - others.length !== own) this.#readAgain(name);
    else if (note === undefined) this.#known.delete(name);
    else this.#known.set(name, note);
  }

  #readAll(): void {
    this.#known.clear();
    for (const name of existsSync(this.#folder) ? readdirSync(this.#folder) : []) this.#readAgain(name);
  }

  #readAgain(name: string): void {
    if (name.startsWith(".")) return;
    const note = readNote(this.#folder, name);
    if (note === undefined) this.#known.delete(name);
    else this.#known.set(name, note);
  }
}

/** Reads one note. A call that waits costs ten times as much as one that reads a line. */
function readNote(folder: string, name: string): Reservation | undefined {
  try {
    // Root's folder; what is half written there is no note.
    return JSON.parse(readFileSync(join(folder, name), "utf8")) as Reservation;
  } catch {
    return undefined;
  }
}
