import { readFile, rename, writeFile } from "node:fs/promises";
import { hasSystemCode } from "../../../../oci/system_error.ts";
import { besideOlder } from "../older_files.ts";
import { type PendingLine, readPending, writePending } from "./line_parts.ts";

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
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async note({ number, offset }: Place, pending: readonly PendingLine[]): Promise<void> {
    this.#text = `${number} ${offset}\n${writePending(pending)}`;
    if (performance.now() - this.#last >= NOTE_EVERY) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#text === undefined) return;
    this.#last = performance.now();
    const file = besideOlder(this.#path, "sent");
    const text = this.#text;
    this.#text = undefined;
    // The folder may be gone: its container is removed.
    await writeFile(`${file}.new`, text).then(() => rename(`${file}.new`, file)).catch((error) => {
      if (!hasSystemCode(error, "ENOENT")) throw error;
    });
  }
}

/** Returns how far an earlier sending of a log has come. */
export async function readProgress(path: string): Promise<Progress> {
  const text = await readFile(besideOlder(path, "sent"), "utf8").catch(() => "");
  const [, number, offset, rest = ""] = /^(\d{1,15}) (\d{1,15})\n(.*)$/s.exec(text) ?? [];
  if (number === undefined) return { pending: [] };
  return { place: { number: Number(number), offset: Number(offset) }, pending: readPending(rest) };
}
