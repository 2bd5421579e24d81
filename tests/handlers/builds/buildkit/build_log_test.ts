import { assert, assertEquals } from "@std/assert";
import { BuildLog } from "../../../../handlers/builds/buildkit/build_log.ts";
import type { StatusValue } from "../../../../handlers/builds/buildkit/messages.ts";

const text = (data: Uint8Array) => new TextDecoder().decode(data);

const none = new AbortController().signal;

Deno.test("BuildLog keeps the latest output, and says where there was more", async () => {
  const log = new BuildLog();
  const step = log.begin("RUN yes");
  const live = log.follow(none);
  const line = "y".repeat(100_000);
  let last = "";
  for (let round = 0; round < 200; round++) {
    step.print(`${round} ${line}`);
    // Steps are told of between lines of output.
    for (let told = 0; told < (round === 0 ? 2 : 1); told++) last = logsOf((await live.next()).value!) || last;
    assert(last.startsWith(`${round} y`), `line ${round} comes to a client that follows`);
  }
  step.end();
  const late = async () => {
    const values = await Array.fromAsync(log.follow(none));
    return {
      lines: values.map(logsOf).filter((line) => line !== ""),
      ends: values.filter(({ vertexes }) => vertexes?.[0].completed).length,
    };
  };
  const running = log.follow(none);
  await running.next();
  log.end();
  await running.return(undefined);
  await live.return(undefined);
  const { lines, ends } = await late();
  assertEquals(lines[0], "[earlier output is left out: there was too much of it]\n");
  assert(lines.at(-1)!.startsWith("199 y"));
  assertEquals([lines.length, ends], [1 + 2, 1], "of a build that is over 256 KiB are kept");
});

function logsOf({ logs = [] }: StatusValue): string {
  return logs.map(({ msg }) => text(msg)).join("");
}
