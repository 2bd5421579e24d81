import { assertEquals } from "@std/assert";
import { SeccompFilters } from "../../../../lib/platform/linux/bundle/seccomp_filters.ts";
import type { SpecSeccomp } from "../../../../lib/platform/linux/bundle/spec_types.ts";
import { Bench, ignore } from "../../../fixtures/platform/process_bench.ts";

const RULES: SpecSeccomp = { defaultAction: "SCMP_ACT_ERRNO", architectures: [], syscalls: [] };
const OTHERS: SpecSeccomp = { ...RULES, defaultAction: "SCMP_ACT_KILL" };
const KEY = "run.oci.seccomp_bpf_data";

/** A runtime's folder for a container, with a compiled filter in it. */
async function stateWith(filter: string): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await Deno.makeTempDir({ prefix: "gantry-test-" });
  await Deno.writeTextFile(`${path}/seccomp.bpf`, filter);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("SeccompFilters.annotate() gives a filter to containers with the very rules it was compiled from", async () => {
  await using state = await stateWith("filter");
  const filters = new SeccompFilters();
  assertEquals(filters.annotate(RULES, { a: "b" }), { a: "b" });
  await filters.learn(RULES, {}, state.path);
  assertEquals(filters.annotate(RULES, { a: "b" }), { [KEY]: btoa("filter"), a: "b" });
  assertEquals(filters.annotate({ ...RULES }, { [KEY]: "own" }), { [KEY]: "own" });
  assertEquals(filters.annotate(OTHERS, {}), {});
  assertEquals(filters.annotate(undefined, {}), {});
});

Deno.test("SeccompFilters.learn() keeps no filter that a user chose, and none where a runtime shows none", async () => {
  await using state = await stateWith("own");
  const filters = new SeccompFilters();
  await filters.learn(RULES, { [KEY]: btoa("own") }, state.path);
  await filters.learn(OTHERS, {}, `${state.path}/missing`);
  assertEquals([filters.annotate(RULES, {}), filters.annotate(OTHERS, {})], [{}, {}]);
});

Deno.test({
  name: "LinuxProcesses filters the system calls of each container, the first and those that follow",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const look = ["sh", "-c", "grep Seccomp: /proc/self/status; touch /x; chroot / true"];
    const first = await bench.run({ args: look });
    assertEquals(first.stdout, "Seccomp:\t2\n");
    assertEquals(await bench.run({ args: look }), first);
    assertEquals(await bench.run({ args: look }), first);
  },
});
