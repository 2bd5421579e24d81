import { assertEquals, assertThrows } from "@std/assert";
import { parseSignal, signalName } from "../../../lib/engine/text/signals.ts";

Deno.test("parseSignal() reads numbers and names as clients spell them", () => {
  const rows: [string | number, number][] = [
    ["TERM", 15],
    ["SIGTERM", 15],
    ["sigkill", 9],
    [" hup ", 1],
    ["9", 9],
    [0, 0],
    ["IOT", 6],
    ["SIGCLD", 17],
    ["POLL", 29],
    ["SYS", 31],
    ["RTMIN", 34],
    ["SIGRTMIN+3", 37],
    ["RTMAX-1", 63],
    [64, 64],
    ["-1", 1],
    ["-HUP", 1],
    ["-SIGHUP", 1],
  ];
  for (const [text, number] of rows) assertEquals(parseSignal(text), number, String(text));
  for (const bad of ["", "SIG", "NOPE", "65", "--1", "1.5", "RTMIN+31", "RTMAX+1", "9x"]) {
    assertThrows(() => parseSignal(bad), Error, "invalid signal");
  }
});

Deno.test("signalName() gives names back", () => {
  assertEquals([1, 9, 15, 31, 34, 37, 33].map(signalName), [
    "SIGHUP",
    "SIGKILL",
    "SIGTERM",
    "SIGSYS",
    "SIGRTMIN",
    "SIGRTMIN+3",
    "SIG33",
  ]);
});
