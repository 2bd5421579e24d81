import { assertEquals } from "@std/assert";
import { ownProcesses } from "../../../../lib/platform/linux/processes/top/own_processes.ts";

Deno.test("ownProcesses() asks for a container's processes alone where the arguments choose columns", () => {
  const pids = ["20", "3", "100"];
  for (
    const [given, expected] of [
      ["aux", "u -q3,20,100"],
      ["-aux", undefined],
      ["-e", "-q3,20,100"],
      ["-A -f", "-f -q3,20,100"],
      ["-eF ww", "-F ww -q3,20,100"],
      ["-eo pid,comm", "-o pid,comm -q3,20,100"],
      ["-eopid -o comm", "-o pid -o comm -q3,20,100"],
      ["-o pid,args", "-o pid,args -q3,20,100"],
      ["axo pid,args", "o pid,args -q3,20,100"],
      ["a x -l", "-l -q3,20,100"],
      ["-eo", undefined],
      ["a", undefined],
      ["x", undefined],
      ["axf", undefined],
      ["-efH", undefined],
      ["-ef --forest", undefined],
      ["-ef --sort=-pid", undefined],
      ["-ek -pid", undefined],
      ["-p 1", undefined],
      ["-u root", undefined],
      ["-", undefined],
      ["1", undefined],
    ] as const
  ) assertEquals(ownProcesses(given.split(" "), pids)?.join(" "), expected, given);
  assertEquals(ownProcesses([], pids), ["-q3,20,100"]);
  assertEquals(ownProcesses(["aux"], []), undefined, "without a list ps would take all");
  assertEquals(ownProcesses(["aux"], Array.from({ length: 20_000 }, (_, i) => String(100_000 + i))), undefined);
});
