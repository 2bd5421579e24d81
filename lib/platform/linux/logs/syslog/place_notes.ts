import { rename, writeFile } from "node:fs/promises";
import { clearTimeout, setTimeout } from "node:timers";
import { hasSystemCode } from "../../../../oci/system_error.ts";
import { besideOlder } from "../older_files.ts";
import { type PendingLine, readPending, writePending } from "./line_parts.ts";
import { hostText } from "../../helpers/bounded_read.ts";

/** Milliseconds between two notes of how far the sending has come; a crash has that much sent twice. */
const NOTE_EVERY = 1_000;

/** A place in a log: bytes of one of its files. */
export interface Place {
  number: number;
  offset: number;
}

/** How far a sending has come: all before the place is sent, but for lines whose end is behind it. */
export interface Progress {
  place?: Place;
  pending: PendingLine[];
}

/** Writes down how far the sending has come, now and then. */
export class PlaceNotes {
  readonly #path: string;
  #text: string | undefined;
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Two writers of one file would mix it up. */
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Notes a place within a second, also where no further one comes: a log may be quiet for days before a crash. */
  async note({ number, offset }: Place, pending: readonly PendingLine[]): Promise<void> {
    this.#text = `${number} ${offset}\n${writePending(pending)}`;
    const wait = this.#last + NOTE_EVERY - performance.now();
    if (wait <= 0) return await this.flush();
    // An error of the disk is heard of with the next note.
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), wait);
    this.#timer.unref();
  }

  /** Writes the last place down now. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => {});
    await written;
  }

  async #write(): Promise<void> {
    const text = this.#text;
    if (text === undefined) return;
    this.#last = performance.now();
    const file = besideOlder(this.#path, "sent");
    // The folder may be gone: its container is removed.
    await writeFile(`${file}.new`, text).then(() => rename(`${file}.new`, file)).catch((error) => {
      if (!hasSystemCode(error, "ENOENT")) throw error;
    });
    if (this.#text === text) this.#text = undefined;
  }
}

/** Returns how far an earlier sending of a log has come. */
export async function readProgress(path: string): Promise<Progress> {
  const text = await hostText(besideOlder(path, "sent"));
  const [, number, offset, rest = ""] = /^(\d{1,15}) (\d{1,15})\n(.*)$/s.exec(text) ?? [];
  if (number === undefined) return { pending: [] };
  return { place: { number: Number(number), offset: Number(offset) }, pending: readPending(rest) };
}
