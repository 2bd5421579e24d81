import { assertEquals } from "@std/assert";
import { splitArguments } from "../../../handlers/containers/top.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("splitArguments() gives back what older clients joined", () => {
  for (
    const [text, words] of [
      ["pid,args", ["pid,args"]],
      ["-eo,pid,args", ["-eo", "pid,args"]],
      ["-e,-o,pid", ["-e", "-o", "pid"]],
      ["aux", ["aux"]],
      ["-ef", ["-ef"]],
    ] as const
  ) assertEquals(splitArguments(text), [...words]);
});

Deno.test("TopContainer() hands arguments on as the client's version means them", async () => {
  await using test = await openTestEngine();
  await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "box" });
  await test.engine.containers.start("box");
  const titles = async (path: string) => (await (await test.send("GET", path)).json()).Titles.slice(1);
  assertEquals(await titles("/v4.3.1/libpod/containers/box/top?ps_args=-eo,pid"), ["-eo", "pid"]);
  assertEquals(await titles("/v5.0.0/libpod/containers/box/top?ps_args=-o&ps_args=pid,comm"), ["-o", "pid,comm"]);
  assertEquals(await titles("/libpod/containers/box/top"), []);
  assertEquals(await titles("/v1.44/containers/box/top"), ["-ef"]);
  assertEquals(await titles("/containers/box/top?ps_args=aux"), ["aux"]);
  const refused = await test.send("GET", "/containers/box/top?delay=0");
  assertEquals([refused.status, (await refused.json()).message], [400, '"delay" parameter of value 0 < 1']);
});
