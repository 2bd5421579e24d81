/**
 * /etc/passwd and /etc/group of a container's tree, read piece by piece: whatever an image has put there, reading them costs
 * the server one piece of memory.
 *
 * @module
 */
import { open } from "node:fs/promises";
import { EngineError } from "../../../../engine/errors.ts";
import { openFileInside, openInside } from "../../helpers/safe_path.ts";

/** The most that is read of each file. */
const LIMIT = 4 * 1024 * 1024;
const MOST_LINES = 65_536;
/** The number of fields of passwd(5). */
const MOST_FIELDS = 7;
/** The place of a group's members in group(5). */
const MEMBERS = 3;
/** The longest field, and the longest member of a group, that is taken: no path is longer. */
const FIELD_LIMIT = 4096;
const PIECE = 64 * 1024;
const NEWLINE = 10;
const COMMA = 44;
const COLON = 58;

/** The two files. */
export type AccountPath = "/etc/passwd" | "/etc/group";

/** A line of the file. */
export interface AccountEntry {
  /** The fields in their order; `undefined` for one that is longer than any name or path. A group's members are not among them. */
  readonly fields: readonly (string | undefined)[];
  /** Whether the group has the member that was asked for. */
  readonly isMember: boolean;
}

/**
 * Calls `visit` with each entry of the file, comments left out, and returns whether the tree has the file. Links in the tree are
 * followed inside it. Throws `EngineError("invalid")` for a file that is too large, and for a named pipe.
 *
 * @param member The name to look for among the members of each group
 */
export async function visitEntries(
  rootfs: string,
  path: AccountPath,
  visit: (entry: AccountEntry) => void,
  member?: string,
): Promise<boolean> {
  const parser = new EntryParser(path, visit, member);
  const found = await readPieces(rootfs, path, (piece) => parser.feed(piece));
  if (found) parser.end();
  return found;
}

/** Writes the tree's file to `target`, and further lines after it. The errors are those of {@linkcode visitEntries}. */
export async function copyWithLines(rootfs: string, path: AccountPath, target: string, lines: string): Promise<void> {
  const file = await open(target, "w", 0o600);
  try {
    let last = NEWLINE;
    await readPieces(rootfs, path, async (piece) => {
      await file.writeFile(piece);
      last = piece[piece.length - 1] ?? last;
    });
    await file.writeFile(last === NEWLINE ? lines : `\n${lines}`);
  } finally {
    await file.close();
  }
}

/** Gives the file to `take`, one piece after the other in the same memory; false where there is none. */
async function readPieces(
  rootfs: string,
  path: AccountPath,
  take: (piece: Uint8Array) => Promise<void> | void,
): Promise<boolean> {
  const file = await openFileInside(rootfs, path);
  if (file === undefined) return await refusePipe(rootfs, path);
  try {
    // A size is only a claim, but one that is too large needs no reading.
    const { size } = await file.stat();
    if (size > LIMIT) throw tooLarge(path, `${LIMIT} bytes`);
    const buffer = new Uint8Array(PIECE);
    for (let total = 0;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return true;
      if ((total += bytesRead) > LIMIT) throw tooLarge(path, `${LIMIT} bytes`);
      await take(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** The runtime reads the file as well, and would wait for somebody to write into it. */
async function refusePipe(rootfs: string, path: AccountPath): Promise<false> {
  const found = await openInside(rootfs, path);
  try {
    if (!(await found?.stat())?.isFIFO()) return false;
    throw new EngineError("invalid", `Resolve user: "${path}" of the container's tree is a named pipe`);
  } finally {
    await found?.close();
  }
}

function tooLarge(path: AccountPath, limit: string): EngineError {
  return new EngineError("invalid", `Resolve user: "${path}" of the container's tree has more than ${limit}`);
}

/** Takes lines apart as their bytes arrive, and keeps no more than the fields of the line it is in. */
class EntryParser {
  readonly #path: AccountPath;
  readonly #visit: (entry: AccountEntry) => void;
  readonly #member: { name: string; size: number } | undefined;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The field, or the member, that is read; what is beyond its end is only counted. */
  readonly #word = new Uint8Array(FIELD_LIMIT);
  #length = 0;
  #fields: (string | undefined)[] = [];
  #isMember = false;
  #lines = 0;

  constructor(path: AccountPath, visit: (entry: AccountEntry) => void, member: string | undefined) {
    this.#path = path;
    this.#visit = visit;
    this.#member = member ? { name: member, size: new TextEncoder().encode(member).length } : undefined;
  }

  feed(piece: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (byte !== COLON && byte !== NEWLINE && (byte !== COMMA || !this.#inMembers)) continue;
      this.#append(piece.subarray(start, at));
      start = at + 1;
      this.#endWord(byte !== NEWLINE);
      if (byte !== NEWLINE) continue;
      this.#endLine();
      if (++this.#lines > MOST_LINES) throw tooLarge(this.#path, `${MOST_LINES} lines`);
    }
    this.#append(piece.subarray(start));
  }

  /** Ends the last line, which may lack its newline. */
  end(): void {
    this.#endWord(false);
    this.#endLine();
  }

  get #inMembers(): boolean {
    return this.#path === "/etc/group" && this.#fields.length >= MEMBERS;
  }

  #append(bytes: Uint8Array): void {
    const room = FIELD_LIMIT - this.#length;
    if (room > 0) this.#word.set(bytes.length > room ? bytes.subarray(0, room) : bytes, this.#length);
    this.#length += bytes.length;
  }

  #endWord(hasNext: boolean): void {
    const isWanted = this.#inMembers ? this.#mayBeMember(hasNext) : this.#fields.length < MOST_FIELDS;
    const text = isWanted && this.#length <= FIELD_LIMIT
      ? this.#decoder.decode(this.#word.subarray(0, this.#length))
      : undefined;
    this.#length = 0;
    // White space around a line does not count.
    const word = hasNext ? text : text?.trimEnd();
    if (this.#inMembers) this.#isMember ||= word !== undefined && word === this.#member?.name;
    else if (this.#fields.length < MOST_FIELDS) this.#fields.push(this.#fields.length === 0 ? word?.trimStart() : word);
  }

  /** A group can have a million members: only those of the right length are looked at. */
  #mayBeMember(hasNext: boolean): boolean {
    return this.#member !== undefined && (this.#length === this.#member.size || !hasNext);
  }

  #endLine(): void {
    if (!this.#fields[0]?.startsWith("#")) this.#visit({ fields: this.#fields, isMember: this.#isMember });
    this.#fields = [];
    this.#isMember = false;
  }
}
