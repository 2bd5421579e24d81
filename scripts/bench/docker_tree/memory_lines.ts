import { type Bench, type Line, peersOf } from "../engine_bench.ts";
import { inTurn } from "../in_turn.ts";
import type { Peer } from "../peers.ts";

/** Milliseconds that servers are left alone: Gantry gives memory back when it has had nothing to do for some seconds. */
const REST = 15_000;

/** Measures the memory of servers that do nothing, with the programs that they have started. */
export async function* memoryLines(bench: Bench): AsyncGenerator<Line> {
  await new Promise((resolve) => setTimeout(resolve, REST));
  yield {
    what: "memory of an idle server with its helpers (Pss)",
    unit: "MB",
    higher: false,
    ...await inTurn({ ...peersOf(bench), floor: bench.bare }, 1, ({ pid }: Peer) => Promise.resolve(memoryOf(pid))),
  };
}

/** Megabytes of a process and of all that descend from it: what they share with others counts in parts. */
function memoryOf(pid: number): number {
  const rollup = Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean);
  const own = Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
  return children.reduce((sum, child) => sum + memoryOf(Number(child)), own);
}
