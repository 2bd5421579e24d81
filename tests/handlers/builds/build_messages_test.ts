import { assertEquals } from "@std/assert";
import { buildMessages } from "../../../handlers/builds/build_messages.ts";

Deno.test("buildMessages() names a tagged image as Docker does, with its tag once", async () => {
  async function* build(): AsyncIterableIterator<{ kind: "done"; id: string; names: string[] }, undefined> {
    const names = ["docker.io/library/mine:latest", "docker.io/team/app:2", "localhost:5000/team/app:2"];
    yield await Promise.resolve({ kind: "done", id: "ab".repeat(32), names });
  }
  const told = await Array.fromAsync(await buildMessages(build(), { style: "docker" }));
  assertEquals(told.slice(-3), [
    { stream: "Successfully tagged mine:latest\n" },
    { stream: "Successfully tagged team/app:2\n" },
    { stream: "Successfully tagged localhost:5000/team/app:2\n" },
  ]);
});
