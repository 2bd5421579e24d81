/**
 * System calls that `node:` modules lack, or wait for on the thread that serves everybody. Deno calls libc, and throws where
 * it may not (`--allow-ffi`); on Node each says that it was not done, and the caller has a slower way.
 *
 * @module
 */
import { Buffer } from "node:buffer";

type Bytes = Uint8Array | null;

/** As much of Deno as is needed here; absent on Node. */
interface ForeignFunctions {
  dlopen(library: string, symbols: Record<string, { parameters: string[]; result: string; nonblocking?: boolean }>): {
    symbols: Library;
  };
}

interface Library {
  close_range(first: number, last: number, flags: number): number;
  open(path: Bytes, flags: number): number;
  close(file: number): number;
  write(file: number, data: Bytes, size: bigint): Promise<bigint>;
  mount(source: Bytes, target: Bytes, type: Bytes, flags: bigint, data: Bytes): Promise<number>;
  umount2(target: Bytes, flags: number): Promise<number>;
  syncfs(file: number): Promise<number>;
}

const SYMBOLS = {
  close_range: { parameters: ["u32", "u32", "i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  // These wait for other processors (RCU), milliseconds each: on a thread of their own.
  write: { parameters: ["i32", "buffer", "usize"], result: "isize", nonblocking: true },
  mount: { parameters: ["buffer", "buffer", "buffer", "u64", "buffer"], result: "i32", nonblocking: true },
  umount2: { parameters: ["buffer", "i32"], result: "i32", nonblocking: true },
  // This one waits for the disk.
  syncfs: { parameters: ["i32"], result: "i32", nonblocking: true },
};

const FIRST_AFTER_STANDARD = 3;
const LAST = 0xffff_ffff;
/** `CLOSE_RANGE_CLOEXEC` of `close_range(2)`, Linux 5.11. */
const CLOSE_ON_EXEC = 4;
/** `O_WRONLY | O_CLOEXEC` of `open(2)` on x86, ARM, RISC-V, POWER and s390. */
const WRITE_ONLY = 0o2000001;
/** `O_RDONLY | O_CLOEXEC`. */
const READ_ONLY = 0o2000000;
/** `MS_NODEV` of `mount(2)`. */
const NO_DEVICES = 4n;
/** `UMOUNT_NOFOLLOW` of `umount2(2)`. */
const NO_FOLLOW = 8;

/** Opened at the first call, once for the process; `null` on Node. */
let opened: Library | null | undefined;

function library(): Library | null {
  if (opened !== undefined) return opened;
  // The symbols have the types that are asked for in SYMBOLS; on Node there is no Deno.
  const { Deno: deno } = globalThis as unknown as { Deno?: ForeignFunctions };
  return opened = deno === undefined ? null : deno.dlopen("libc.so.6", SYMBOLS).symbols;
}

/**
 * Marks every open file but the standard ones as closed in programs started from now on. What a program is to have is handed
 * over by the start itself, after this mark.
 *
 * Under Deno, `node:http` opens its listening and accepted sockets without `O_CLOEXEC` (seen with 2.9.6; Node sets it). A
 * supervisor that outlives the server would keep the server's socket listening, and its clients' connections open, for as
 * long as a container runs.
 */
export function closeOnExec(): void {
  library()?.close_range(FIRST_AFTER_STANDARD, LAST, CLOSE_ON_EXEC);
}

/** Mounts a file system without device nodes. Resolves with whether that was done. */
export async function mount(type: string, target: string, options: string): Promise<boolean> {
  const [name, path, data] = [text(type), text(target), text(options)];
  const result = await library()?.mount(name, path, name, NO_DEVICES, data);
  return result === 0 && held(name, path, data);
}

/** Unmounts what is on top at a path. Resolves with whether that was done. */
export async function unmount(target: string): Promise<boolean> {
  const path = text(target);
  return await library()?.umount2(path, NO_FOLLOW) === 0 && held(path);
}

/** Writes a text to a file that is there, by one call. Resolves with whether that was done. */
export async function writeAtOnce(file: string, content: string): Promise<boolean> {
  const calls = library();
  const handle = calls?.open(text(file), WRITE_ONLY) ?? -1;
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
  const handle = calls?.open(text(path), READ_ONLY) ?? -1;
  if (calls === null || handle < 0) return false;
  try {
    return await calls.syncfs(handle) === 0;
  } finally {
    calls.close(handle);
  }
}

/** A text as C has it. Throws `TypeError` for one with a NUL byte, which would name something else there. */
function text(value: string): Uint8Array {
  if (value.includes("\0")) throw new TypeError("Call the kernel: a path or an option has a NUL byte");
  return Buffer.from(`${value}\0`);
}

/** Named after a call, its buffers are not collected while the call runs. */
function held(..._buffers: Uint8Array[]): boolean {
  return true;
}
