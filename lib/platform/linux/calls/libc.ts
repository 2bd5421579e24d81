/**
 * System calls that `node:` modules lack, or wait for on the thread that serves everybody. Deno calls libc, and throws where
 * it may not (`--allow-ffi`); on Node each says that it was not done, and the caller has a slower way.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { SHARED_CALLS } from "./system_calls.ts";

type Bytes = Uint8Array | null;

interface ForeignFunction {
  name?: string;
  parameters: string[];
  result: string;
  nonblocking?: boolean;
  optional?: boolean;
}

/** As much of Deno as is needed here; absent on Node. */
interface ForeignFunctions {
  dlopen(
    library: string,
    symbols: Record<string, ForeignFunction>,
  ): {
    symbols: Library;
  };
}

interface Library {
  close_range(first: number, last: number, flags: number): number;
  /** The mode is for a file that is made. */
  open(path: Bytes, flags: number, mode: number): number;
  close(file: number): number;
  write(file: number, data: Bytes, size: bigint): Promise<bigint>;
  mount(source: Bytes, target: Bytes, type: Bytes, flags: bigint, data: Bytes): Promise<number>;
  umount2(target: Bytes, flags: number): Promise<number>;
  syncfs(file: number): Promise<number>;
  sync_file_range(file: number, from: bigint, size: bigint, flags: number): Promise<number>;
  posix_fadvise(file: number, from: bigint, size: bigint, advice: number): Promise<number>;
  malloc_trim: ((kept: bigint) => Promise<number>) | null;
  socket(family: number, type: number, protocol: number): number;
  send(socket: number, data: Bytes, size: bigint, flags: number): bigint;
  recv(socket: number, data: Bytes, size: bigint, flags: number): bigint;
  bind(socket: number, address: Bytes, size: number): number;
  poll(files: Bytes, count: bigint, timeout: number): number;
  setsockopt(socket: number, level: number, option: number, value: Bytes, size: number): number;
  inotify_init1(flags: number): number;
  inotify_add_watch(file: number, path: Bytes, events: number): number;
  statx(folder: number, path: Bytes, flags: number, fields: number, data: Bytes): number;
  openat(folder: number, name: Bytes, flags: number): number;
  getdents64: ((folder: number, data: Bytes, size: bigint) => bigint) | null;
  read_now(file: number, data: Bytes, size: bigint): bigint;
  pread(file: number, data: Bytes, size: bigint, position: bigint): bigint;
  write_now(file: number, data: Bytes, size: bigint): bigint;
  unlink(path: Bytes): number;
  flock(file: number, operation: number): number;
  open_tree(call: number, file: number, path: Bytes, flags: number): Promise<bigint>;
  mount_setattr(
    call: number,
    file: number,
    path: Bytes,
    flags: number,
    attributes: Bytes,
    size: number,
  ): Promise<bigint>;
  move_mount(call: number, from: number, path: Bytes, to: number, target: Bytes, flags: number): Promise<bigint>;
}

const SYMBOLS = {
  close_range: { parameters: ["u32", "u32", "i32"], result: "i32" },
  open: { parameters: ["buffer", "i32", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  // These wait for other processors (RCU), milliseconds each: on a thread of their own.
  write: { parameters: ["i32", "buffer", "usize"], result: "isize", nonblocking: true },
  mount: { parameters: ["buffer", "buffer", "buffer", "u64", "buffer"], result: "i32", nonblocking: true },
  umount2: { parameters: ["buffer", "i32"], result: "i32", nonblocking: true },
  // These wait for the disk, or free many pages.
  syncfs: { parameters: ["i32"], result: "i32", nonblocking: true },
  sync_file_range: { parameters: ["i32", "i64", "i64", "u32"], result: "i32", nonblocking: true },
  posix_fadvise: { parameters: ["i32", "i64", "i64", "i32"], result: "i32", nonblocking: true },
  // It walks all that is free; glibc alone has it.
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true, optional: true },
  // The kernel has the answers of netlink(7) ready before the call for them returns.
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  // The news of the kernel is there or is not: none of these waits.
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  inotify_init1: { parameters: ["i32"], result: "i32" },
  inotify_add_watch: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
  openat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  // glibc has it since 2.30.
  getdents64: { parameters: ["i32", "buffer", "usize"], result: "isize", optional: true },
  // The server's own small files and locks: libc takes a fraction of the time that `node:fs` takes.
  write_now: { name: "write", parameters: ["i32", "buffer", "usize"], result: "isize" },
  unlink: { parameters: ["buffer"], result: "i32" },
  flock: { parameters: ["i32", "i32"], result: "i32" },
  pread: { name: "pread64", parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  read_now: { name: "read", parameters: ["i32", "buffer", "usize"], result: "isize" },
  // By number: libc has names for these since glibc 2.36 only. They wait for processors as mount(2) does.
  open_tree: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64"], result: "i64", nonblocking: true },
  mount_setattr: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "i64", "buffer", "i64"],
    result: "i64",
    nonblocking: true,
  },
  move_mount: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "i64", "buffer", "i64"],
    result: "i64",
    nonblocking: true,
  },
};

const FIRST_AFTER_STANDARD = 3;
const LAST = 0xffff_ffff;
/** `CLOSE_RANGE_CLOEXEC` of `close_range(2)`, Linux 5.11. */
const CLOSE_ON_EXEC = 4;
/** `O_WRONLY | O_CLOEXEC` of `open(2)` on x86, ARM, RISC-V, POWER and s390. */
const WRITE_ONLY = 0o2000001;
/** `O_RDONLY | O_CLOEXEC`. */
export const READ_ONLY = 0o2000000;
/** `MS_NODEV` of `mount(2)`. */
const NO_DEVICES = 4n;
/** `MS_NOSUID | MS_NODEV | MS_NOEXEC`. */
const CLOSED = 14n;
/** `UMOUNT_NOFOLLOW` and `MNT_DETACH` of `umount2(2)`. */
const NO_FOLLOW = 8;
const DETACH = 2;
/** `AT_FDCWD`, and `AT_EMPTY_PATH`: the handle itself is meant. */
const WORKING_FOLDER = -100;
export const EMPTY_PATH = 0x1000;
/** `OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC`. */
const CLONE = 0x80001;
/** `AT_RECURSIVE`, and `MS_PRIVATE`: what happens to the clone is seen nowhere else. */
const RECURSIVE = 0x8000;
const PRIVATE = 0x40000n;
/** `MOVE_MOUNT_F_EMPTY_PATH`. */
const FROM_HANDLE = 4;

/** `AF_NETLINK`, `SOCK_RAW | SOCK_CLOEXEC`, `NETLINK_ROUTE`, and `MSG_DONTWAIT`. */
export const NETLINK = [16, 0o2000003, 0] as const;
export const AT_ONCE = 0x40;

/** Opened at the first call, once for the process; `null` on Node. */
let opened: Library | null | undefined;

/** @internal The calls themselves, for the modules beside this one; `null` on Node. */
export function library(): Library | null {
  if (opened !== undefined) return opened;
  // The symbols have the types that are asked for in SYMBOLS; on Node there is no Deno.
  const { Deno: deno } = globalThis as unknown as { Deno?: ForeignFunctions };
  return opened = deno === undefined ? null : deno.dlopen("libc.so.6", SYMBOLS).symbols;
}

/**
 * Marks every open file but the standard ones as closed in programs started from now on. The start itself hands a program
 * its descriptors, after this mark.
 *
 * Under Deno, `node:http` opens its listening and accepted sockets without `O_CLOEXEC` (seen with 2.9.6; Node sets it). A
 * supervisor that outlives the server would keep the server's socket listening, and its clients' connections open, for as
 * long as a container runs.
 */
export function closeOnExec(): void {
  library()?.close_range(FIRST_AFTER_STANDARD, LAST, CLOSE_ON_EXEC);
}

/** Mounts a file system without device nodes. Resolves with whether that was done. */
export function mount(type: string, target: string, options: string): Promise<boolean> {
  return mountWith(NO_DEVICES, type, target, options);
}

/** Mounts a file system without device nodes, setuid programs or anything to run. Resolves with whether that was done. */
export function mountClosed(type: string, target: string, options: string): Promise<boolean> {
  return mountWith(CLOSED, type, target, options);
}

async function mountWith(flags: bigint, type: string, target: string, options: string): Promise<boolean> {
  const [name, path, data] = [cText(type), cText(target), cText(options)];
  const result = await library()?.mount(name, path, name, flags, data);
  return result === 0 && held(name, path, data);
}

/**
 * Mounts what an open handle holds. The kernel is given the handle: no path of it is looked up. Resolves with whether that was
 * done.
 *
 * @param attributes `MOUNT_ATTR_…` of `mount_setattr(2)`, set before the mount is seen anywhere
 * @param recursive With what is mounted in it
 */
export async function mountHandle(
  handle: number,
  target: string,
  attributes: bigint,
  recursive = false,
): Promise<boolean> {
  const calls = library();
  if (calls === null) return false;
  const [empty, path] = [cText(""), cText(target)];
  const depth = recursive ? RECURSIVE : 0;
  const tree = Number(await calls.open_tree(SHARED_CALLS.open_tree, handle, empty, CLONE | EMPTY_PATH | depth));
  if (tree < 0) return false;
  try {
    const set = new Uint8Array(new BigUint64Array([attributes, 0n, recursive ? PRIVATE : 0n, 0n]).buffer);
    // Taken away again, a clone that is shared would take the host's own mounts with it.
    if (attributes !== 0n || recursive) {
      const result = await calls.mount_setattr(
        SHARED_CALLS.mount_setattr,
        tree,
        empty,
        EMPTY_PATH | depth,
        set,
        set.length,
      );
      if (result !== 0n) return false;
    }
    const result = await calls.move_mount(SHARED_CALLS.move_mount, tree, empty, WORKING_FOLDER, path, FROM_HANDLE);
    return result === 0n && held(empty, path, set);
  } finally {
    calls.close(tree);
  }
}

/**
 * Unmounts what is on top at a path. Resolves with whether that was done.
 *
 * @param lazy Also while it is in use: it then ends with its last use
 */
export async function unmount(target: string, lazy = false): Promise<boolean> {
  const path = cText(target);
  return await library()?.umount2(path, lazy ? NO_FOLLOW | DETACH : NO_FOLLOW) === 0 && held(path);
}

/** Writes a text to a file that is there, by one call. Resolves with whether that was done. */
export async function writeAtOnce(file: string, content: string): Promise<boolean> {
  const calls = library();
  const handle = calls?.open(cText(file), WRITE_ONLY, 0) ?? -1;
  if (calls === null || handle < 0) return false;
  const data = Buffer.from(content);
  try {
    return await calls.write(handle, data, BigInt(data.length)) === BigInt(data.length) && held(data);
  } finally {
    calls.close(handle);
  }
}

/** Makes what was written to the file system of a path last. Resolves with whether that was done. */
export async function syncFileSystemOf(path: string): Promise<boolean> {
  const calls = library();
  const handle = calls?.open(cText(path), READ_ONLY, 0) ?? -1;
  if (calls === null || handle < 0) return false;
  try {
    return await calls.syncfs(handle) === 0;
  } finally {
    calls.close(handle);
  }
}

/** Gives the memory back that libc keeps for what was let go of. Resolves with whether there was any. */
export async function trimAllocations(): Promise<boolean> {
  return await library()?.malloc_trim?.(0n) === 1;
}

/** @internal A text as C has it. Throws `TypeError` for one with a NUL byte, which would name something else there. */
export function cText(value: string): Uint8Array {
  if (value.includes("\0")) throw new TypeError("Call the kernel: a path or an option has a NUL byte");
  return Buffer.from(`${value}\0`);
}

/** Named after a call, its buffers are not collected while the call runs. */
function held(..._buffers: Uint8Array[]): boolean {
  return true;
}
