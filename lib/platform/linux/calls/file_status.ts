import { cText, EMPTY_PATH, library } from "./libc.ts";

/** The size of `struct statx`. */
const SIZE = 256;
/** `AT_FDCWD`, and `AT_SYMLINK_NOFOLLOW`. */
const WORKING_FOLDER = -100;
const NO_FOLLOW = 0x100;
/** A handle's own file has no path. */
const NO_PATH = cText("");
/** `STATX_TYPE | STATX_NLINK | STATX_INO | STATX_SIZE | STATX_BTIME`: all that is told here. */
const FIELDS = 0x1 | 0x4 | 0x100 | 0x200 | 0x800;
/** `S_IFMT`, and `S_IFREG` and `S_IFDIR` of inode(7). */
const TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/** The answers of statx(2), of which one stands here at a time. Always false on Node. */
export class FileStatus {
  readonly #bytes = new Uint8Array(SIZE);
  readonly #fields = new DataView(this.#bytes.buffer);

  /** Asks for the file at a path as C has it, following links. False where that fails, for whatever reason. */
  ofPath(path: Uint8Array): boolean {
    return library()?.statx(WORKING_FOLDER, path, 0, FIELDS, this.#bytes) === 0;
  }

  /** The same for an open file. */
  ofHandle(handle: number): boolean {
    return library()?.statx(handle, NO_PATH, EMPTY_PATH, FIELDS, this.#bytes) === 0;
  }

  /** The same for a name in an open folder, following no link. */
  ofEntry(folder: number, name: Uint8Array): boolean {
    return library()?.statx(folder, name, NO_FOLLOW, FIELDS, this.#bytes) === 0;
  }

  get isFile(): boolean {
    return (this.#mode & TYPE) === REGULAR;
  }

  get isFolder(): boolean {
    return (this.#mode & TYPE) === FOLDER;
  }

  /** How many names the file has. */
  get links(): number {
    return this.#fields.getUint32(16, true);
  }

  get inode(): bigint {
    return this.#fields.getBigUint64(32, true);
  }

  /** In bytes. */
  get size(): number {
    return Number(this.#fields.getBigUint64(40, true));
  }

  /** When the file was made: seconds and nanoseconds. */
  get born(): readonly [bigint, number] {
    return [this.#fields.getBigInt64(80, true), this.#fields.getUint32(88, true)];
  }

  /** The device that the file is on: its major and its minor number. */
  get device(): readonly [number, number] {
    return [this.#fields.getUint32(136, true), this.#fields.getUint32(140, true)];
  }

  get #mode(): number {
    return this.#fields.getUint16(28, true);
  }
}
