import { assertEquals } from "@std/assert";
import { FULL_FORMAT } from "../../../../lib/platform/linux/processes/top/full_format.ts";
import type { ProcessFacts } from "../../../../lib/platform/linux/processes/top/process_facts.ts";
import { namesHere } from "../../../../lib/platform/linux/processes/top/user_names.ts";

const NOW = new Date(2026, 10, 22, 12, 0, 0).getTime();
const HOUR = 3_600_000;
const PLAIN: ProcessFacts = {
  pid: "900",
  innerPid: "7",
  parent: "1",
  group: "7",
  name: "tool",
  args: ["tool", "--all", "x y"],
  state: "S",
  nice: "0",
  terminal: "pts/0",
  cpuTime: 61,
  startedAt: NOW - HOUR,
  virtualKiB: 1,
  residentKiB: "1",
  uids: [0, 0],
  gids: [0, 0],
  groups: [],
  capabilities: { CapInh: 0n, CapPrm: 0n, CapEff: 0n, CapBnd: 0n, CapAmb: 0n },
  seccomp: "0",
  label: "?",
};

Deno.test("FULL_FORMAT writes what ps -ef writes", async (t) => {
  const here = namesHere();
  const row = (facts: Partial<ProcessFacts>) => {
    const sources = { inside: here, here, now: NOW };
    return FULL_FORMAT.map((column) => column.of({ ...PLAIN, ...facts }, sources)).join(" ");
  };
  const cases: [string, Partial<ProcessFacts>, string][] = [
    ["a plain one", {}, "root 7 1 1 11:00 pts/0 00:01:01 tool --all x y"],
    ["one of yesterday", { startedAt: NOW - 24 * HOUR }, "root 7 1 0 Nov21 pts/0 00:01:01 tool --all x y"],
    ["one of last year", { startedAt: NOW - 365 * 24 * HOUR }, "root 7 1 0 2025 pts/0 00:01:01 tool --all x y"],
    ["one with days of processor time", { cpuTime: 183_845 }, "root 7 1 99 11:00 pts/0 2-03:04:05 tool --all x y"],
    ["one that has just begun", { startedAt: NOW, cpuTime: 0 }, "root 7 1 0 12:00 pts/0 00:00:00 tool --all x y"],
    ["one without arguments", { args: [""] }, "root 7 1 1 11:00 pts/0 00:01:01 [tool]"],
    ["one that nobody has waited for", { args: [""], state: "Z" }, "root 7 1 1 11:00 pts/0 00:01:01 [tool] <defunct>"],
    ["one that would steer a terminal", { args: ["\u001b[2J\n"] }, "root 7 1 1 11:00 pts/0 00:01:01 .[2J."],
  ];
  for (const [name, facts, expected] of cases) await t.step(name, () => assertEquals(row(facts), expected));
});
