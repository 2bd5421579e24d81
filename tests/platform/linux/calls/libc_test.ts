import { assert } from "@std/assert";
import { findCollector } from "../../../../lib/platform/entries/service/idle_memory.ts";
import { trimAllocations } from "../../../../lib/platform/linux/calls/libc.ts";

/** Bytes of memory that are only this process's. */
function ownMemory(): number {
  const rollup = Deno.readTextFileSync("/proc/self/smaps_rollup");
  return Number(/^Private_Dirty:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
}

Deno.test({
  name: "trimAllocations() gives the memory back that libc keeps below what is still used",
  ignore: Deno.build.os !== "linux",
}, async () => {
  const collect = findCollector();
  assert(collect !== undefined);
  const BUFFERS = 20_000;
  const SIZE = 4096;
  const buffers: (Uint8Array | undefined)[] = [];
  for (let i = 0; i < BUFFERS; i++) buffers.push(new Uint8Array(SIZE).fill(1));
  // One of a hundred stays: none of the rest can be given back by lowering the heap's end.
  for (let i = 0; i < BUFFERS; i++) if (i % 100 !== 0) buffers[i] = undefined;
  collect();
  const before = ownMemory();
  assert(await trimAllocations());
  const rise = ownMemory() - before;
  assert(rise < -BUFFERS * SIZE / 4, `${rise} bytes`);
  assert(buffers[0]?.[0] === 1);
});
