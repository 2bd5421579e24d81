/**
 * Keeping this process's sockets out of the programs it starts.
 *
 * Under Deno, `node:http` opens its listening and accepted sockets without `O_CLOEXEC` (seen with 2.9.6; Node sets it). A
 * supervisor that outlives the server would keep the server's socket listening, and its clients' connections open, for as long
 * as a container runs.
 *
 * @module
 */

/** As much of Deno as is needed here; absent on Node. */
interface ForeignFunctions {
  dlopen(library: string, symbols: Record<string, { parameters: string[]; result: string }>): {
    symbols: Record<string, (first: number, last: number, flags: number) => number>;
  };
}

/** `CLOSE_RANGE_CLOEXEC` of `close_range(2)`, Linux 5.11. */
const CLOSE_ON_EXEC = 4;
const FIRST_AFTER_STANDARD = 3;
const LAST = 0xffff_ffff;

/** Opened at the first start of a program, once for the process. */
let mark: (() => number) | undefined;

/**
 * Marks every open file but the standard ones as closed in programs started from now on. What a program is to have is handed
 * over by the start itself, after this mark.
 *
 * @throws {Error} where Deno may not call libc (`--allow-ffi`)
 */
export function closeOnExec(): void {
  mark ??= open();
  mark();
}

function open(): () => number {
  const deno = (globalThis as { Deno?: ForeignFunctions }).Deno;
  if (deno === undefined) return () => 0;
  const { symbols } = deno.dlopen("libc.so.6", {
    close_range: { parameters: ["u32", "u32", "i32"], result: "i32" },
  });
  return () => symbols.close_range(FIRST_AFTER_STANDARD, LAST, CLOSE_ON_EXEC);
}
