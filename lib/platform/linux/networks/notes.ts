/**
 * The notes of bridges and subnets in the folder that servers share, one file each, named after its bridge.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";
import type { FolderNews } from "./kernel_news.ts";
import { createFile, dropFile } from "./note_files.ts";

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
  /** Whether all notes were read since the kernel last lost count. */
  #isWhole = false;
  #foreign = 0;
  /** Told of each note that comes, goes, or takes another's place. */
  readonly #changed: (before: Reservation | undefined, after: Reservation | undefined) => void;
  /** How many events this server's own changes have made since the last look, by the names of the notes. */
  #own = new Map<string, number>();

  constructor(
    folder: string,
    news?: FolderNews,
    changed: (before: Reservation | undefined, after: Reservation | undefined) => void = () => {},
  ) {
    this.#folder = folder;
    this.#news = news;
    this.#changed = changed;
  }

  /** Grows whenever notes were read that this server has not written. */
  get foreign(): number {
    return this.#foreign;
  }

  /** Every note, by its bridge. The map is not to be kept: it changes with the notes. */
  all(): ReadonlyMap<string, Reservation> {
    if (!this.#isCurrent()) this.#readAll();
    return this.#known;
  }

  /** The note of a bridge. */
  get(name: string): Reservation | undefined {
    return this.#isCurrent() ? this.#known.get(name) : readNote(this.#folder, name);
  }

  /** The names of the bridges that have notes, which are not read for it. */
  names(): string[] {
    return (existsSync(this.#folder) ? readdirSync(this.#folder) : []).filter((name) => !name.startsWith("."));
  }

  /** Writes a note. The folder's lock is the caller's. */
  put(note: Reservation): void {
    const path = join(this.#folder, note.interface);
    const text = JSON.stringify(note);
    // A server that is killed here leaves a file with nothing in it, which is no note to anybody.
    // To make a file takes half the time of its replacement.
    const isNew = createFile(path, text);
    if (!isNew) this.#replace(path, text);
    this.#set(note.interface, note);
    // A new file is made, and then written.
    this.#hearOwn(note.interface, isNew ? 2 : 1);
  }

  /** Removes the note of a bridge. The folder's lock is the caller's. */
  drop(name: string): void {
    this.#set(name, undefined);
    if (dropFile(join(this.#folder, name))) this.#hearOwn(name, 1);
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
   * Hears of a change of this server at once: the kernel makes one of two equal events that wait, and somebody else's would be lost in it.
   *
   * @param events How many there are: a file was made and written, or took its name, or was removed
   */
  #hearOwn(name: string, events: number): void {
    this.#own.set(name, (this.#own.get(name) ?? 0) + events);
    this.#isCurrent();
  }

  /** Brings the notes in memory up to date where the kernel tells of all that has changed. False: they have to be read. */
  #isCurrent(): boolean {
    const changed = this.#news?.take(this.#folder);
    const own = this.#own;
    if (own.size > 0) this.#own = new Map();
    if (changed === undefined) this.#isWhole = false;
    else if (this.#isWhole && changed.length > 0) this.#readForeign(changed, own);
    return this.#isWhole;
  }

  /** Reads again what others have changed: whoever does not care for the lock may have written a note that this server has written, too. */
  #readForeign(changed: readonly string[], own: ReadonlyMap<string, number>): void {
    const events = new Map<string, number>();
    for (const name of changed) events.set(name, (events.get(name) ?? 0) + 1);
    for (const [name, count] of events) if (count !== own.get(name)) this.#readAgain(name);
  }

  #readAll(): void {
    this.#isWhole = true;
    for (const name of [...this.#known.keys()]) this.#set(name, undefined);
    this.#foreign++;
    for (const name of this.names()) this.#readAgain(name);
  }

  #readAgain(name: string): void {
    if (name.startsWith(".")) return;
    this.#foreign++;
    let note: Reservation | undefined;
    try {
      note = parseNote(readFileSync(join(this.#folder, name), "utf8"));
    } catch (error) {
      // It has gone. Whatever else keeps it from being read, such as too many open files, may be over at the next look.
      if (!hasSystemCode(error, "ENOENT")) this.#isWhole = false;
    }
    this.#set(name, note);
  }

  #set(name: string, note: Reservation | undefined): void {
    const before = this.#known.get(name);
    if (note !== undefined) this.#known.set(name, note);
    else this.#known.delete(name);
    this.#changed(before, note);
  }
}

/** The subnets of a note. */
export function subnetsOfNote({ subnet, subnets }: Reservation): string[] {
  return subnets ?? [subnet].filter((text) => text !== "");
}

/** Reads one note. A call that waits costs ten times as much as one that reads a line. */
function readNote(folder: string, name: string): Reservation | undefined {
  try {
    return parseNote(readFileSync(join(folder, name), "utf8"));
  } catch {
    return undefined;
  }
}

/** The note in a text; none where it is half written, or no note at all: each choice looks at every file of the folder. */
function parseNote(text: string): Reservation | undefined {
  let note: Partial<Reservation> | null;
  try {
    note = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { interface: name, root, subnet, subnets = [] } = note ?? {};
  const texts: unknown[] = Array.isArray(subnets) ? [name, root, subnet, ...subnets] : [undefined];
  return texts.every((field) => typeof field === "string") ? note as Reservation : undefined;
}
