/**
 * Hearing from the kernel, without waiting, whether something has changed since it was last read: a cache that asks before each use
 * is never behind. On Node, and where the kernel gives no more of these, everything may have changed each time.
 *
 * @module
 */
import { FileStatus } from "../calls/file_status.ts";
import { AT_ONCE, cText, library, NETLINK } from "../calls/libc.ts";

/**
 * `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR` and `RTMGRP_IPV6_ROUTE` of rtnetlink(7): what adds
 * interfaces, addresses and routes, and takes them away. An interface that goes down loses its routes without a word of them.
 */
const GROUPS = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;
/** `SOL_SOCKET`, and `SO_RCVBUF`: the least that the kernel gives holds a few messages, and one is enough to know. */
const ROOM = [1, 8] as const;

/** `POLLIN` of poll(2), and the size of `pollfd`. An error of the socket is told unasked: messages were lost. */
const READABLE = 1;
const POLLED = 8;
/** So many messages are taken at a call, of a socket that holds a few: whoever changes routes all the time keeps nobody here. */
const MOST_MESSAGES = 64;

/** `IN_NONBLOCK | IN_CLOEXEC` of inotify(7). */
const WATCH_FLAGS = 0o2004000;
/**
 * `IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR`: a file is read when its
 * writer is done with it. A link is there with its creation, and has no writer.
 */
const EVENTS = 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x1000000;
/** `IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED`: the watch has ended, or events are lost. */
const ENDS = 0x400 | 0x800 | 0x2000 | 0x4000 | 0x8000;
/** The size of `inotify_event` without its name, and of a buffer for hundreds of them. */
const HEAD = 16;
const BUFFER = 16 * 1024;
/** The longest event: a name has 255 bytes and its end. */
const LONGEST = HEAD + 256;

/** So many buffers are read at a call, and so many names kept for a folder: with more, that is as good as not to know. */
const MOST_READS = 64;
const MOST_NAMES = 10_000;

/** Tells whether interfaces, addresses or routes of this network namespace have changed. */
export class RouteNews implements Disposable {
  #socket = -1;
  readonly #piece = new Uint8Array(16);
  /** `pollfd`: the socket, and what is waited for. */
  readonly #polled = new Uint8Array(POLLED);

  /** Whether anything may have changed since the last call. True at the first. Whatever is read after the call is as new as it. */
  take(): boolean {
    if (this.#socket < 0) {
      this.#open();
      return true;
    }
    const calls = library()!;
    // A message, or the failure of one that found no room: reading would not tell the latter from nothing.
    if (calls.poll(this.#polled, 1n, 0) === 0) return false;
    for (let misses = 0, taken = 0; misses < 2 && taken < MOST_MESSAGES; taken++) {
      const hasOne = calls.recv(this.#socket, this.#piece, BigInt(this.#piece.length), AT_ONCE) > 0n;
      // The kernel tells once of lost messages, by a failure, before it gives those that it has.
      misses = hasOne ? 0 : misses + 1;
    }
    return true;
  }

  [Symbol.dispose](): void {
    if (this.#socket >= 0) library()!.close(this.#socket);
    this.#socket = -1;
  }

  #open(): void {
    const calls = library();
    const socket = calls?.socket(...NETLINK) ?? -1;
    if (calls === null || socket < 0) return;
    this.#socket = socket;
    // `sockaddr_nl`: the family, the port, which the kernel chooses, and the groups.
    const address = new Uint32Array([NETLINK[0], 0, GROUPS]);
    // In the order of this machine, as C has it.
    new Int32Array(this.#polled.buffer)[0] = socket;
    new Int16Array(this.#polled.buffer)[2] = READABLE;
    calls.setsockopt(socket, ...ROOM, new Uint8Array(4), 4);
    if (calls.bind(socket, new Uint8Array(address.buffer), address.byteLength) !== 0) this[Symbol.dispose]();
  }
}

/** A folder under watch. */
interface Watched {
  readonly watch: number;
  readonly identity: Identity;
  names: string[];
}

/** The device, in two numbers, and the number of a folder: another one may have its path by now. */
type Identity = readonly [bigint, number, number];

/** Tells which entries of folders have changed, whoever has changed them. */
export class FolderNews implements Disposable {
  #file = -1;
  readonly #buffer = new Uint8Array(BUFFER);
  readonly #decoder = new TextDecoder();
  readonly #status = new FileStatus();
  readonly #paths = new Map<string, Uint8Array>();
  readonly #folders = new Map<string, Watched>();

  /**
   * The names of the entries that came, went or changed since the last call for this folder, each as often as the kernel has told of it;
   * `undefined` where that is not known, as at the first call. Whatever is read after the call is as new as it.
   */
  take(folder: string): string[] | undefined {
    if (library() === null) return undefined;
    const identity = this.#identityOf(folder);
    if (identity === undefined) return undefined;
    this.#drain();
    const known = this.#folders.get(folder);
    if (known !== undefined && identity.every((number, i) => number === known.identity[i])) {
      const { names } = known;
      if (names.length > 0) known.names = [];
      return names;
    }
    if (known !== undefined) this[Symbol.dispose]();
    this.#watch(folder, identity);
    return undefined;
  }

  [Symbol.dispose](): void {
    if (this.#file >= 0) library()!.close(this.#file);
    this.#file = -1;
    this.#folders.clear();
  }

  #watch(folder: string, identity: Identity): void {
    const calls = library()!;
    if (this.#file < 0) this.#file = calls.inotify_init1(WATCH_FLAGS);
    const watch = this.#file < 0 ? -1 : calls.inotify_add_watch(this.#file, cText(folder), EVENTS);
    if (watch >= 0) this.#folders.set(folder, { watch, identity, names: [] });
  }

  /** The identity of the folder that has a path now; `undefined` where there is none. */
  #identityOf(folder: string): Identity | undefined {
    let path = this.#paths.get(folder);
    if (path === undefined) this.#paths.set(folder, path = cText(folder));
    return this.#status.ofPath(path) ? [this.#status.inode, ...this.#status.device] : undefined;
  }

  #drain(): void {
    if (this.#file < 0) return;
    for (let reads = 0;; reads++) {
      // A program that writes there all the time keeps nobody here: everything may have changed.
      if (reads === MOST_READS) return this[Symbol.dispose]();
      const size = Number(library()!.read_now(this.#file, this.#buffer, BigInt(BUFFER)));
      if (size <= 0) return;
      if (!this.#read(size) || this.#isCrowded()) return this[Symbol.dispose]();
      if (size < BUFFER - LONGEST) return;
    }
  }

  /** Whether a folder has more news than anybody would look at, such as one that nobody asks for any more. */
  #isCrowded(): boolean {
    return [...this.#folders.values()].some(({ names }) => names.length > MOST_NAMES);
  }

  /** Notes the names of the events in the buffer. False where they are not all. */
  #read(size: number): boolean {
    const events = new DataView(this.#buffer.buffer, 0, size);
    const folders = [...this.#folders.values()];
    for (let at = 0; at + HEAD <= size;) {
      const end = at + HEAD + events.getUint32(at + 12, true);
      if ((events.getUint32(at + 4, true) & ENDS) !== 0 || end > size) return false;
      const watch = events.getInt32(at, true);
      const zero = this.#buffer.indexOf(0, at + HEAD);
      const name = this.#buffer.subarray(at + HEAD, zero < 0 ? end : Math.min(zero, end));
      folders.find((folder) => folder.watch === watch)?.names.push(this.#decoder.decode(name));
      at = end;
    }
    return true;
  }
}
