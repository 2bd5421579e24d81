import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { programFolders, startPipedProgram, startProgram } from "../../../../lib/platform/linux/helpers/spawn.ts";

const ignore = Deno.build.os !== "linux";

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of stream) chunks.push(new Uint8Array(chunk));
  return await new Blob(chunks).text();
}

Deno.test({
  name: "startProgram() passes on PATH and nothing else of the server's environment",
  ignore,
  async fn() {
    Deno.env.set("GANTRY_TEST_TOKEN", "secret");
    try {
      const child = startProgram("env", [], { stdio: ["ignore", "pipe", "ignore"] });
      const ended = once(child, "close");
      const lines = (await textOf(child.stdout!)).trim().split("\n").sort();
      assertEquals(lines, ["LC_ALL=C", `PATH=${programFolders().join(":")}`]);
      await ended;
    } finally {
      Deno.env.delete("GANTRY_TEST_TOKEN");
    }
  },
});

Deno.test({
  name: "startPipedProgram() hands over none of the server's sockets",
  ignore,
  async fn() {
    // Under Deno `node:http` opens its sockets without O_CLOEXEC.
    const { createServer } = await import("node:http");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const child = startPipedProgram("ls", ["-l", "/proc/self/fd"]);
      const ended = once(child, "close");
      child.stdin.end();
      const handles = [...(await textOf(child.stdout)).matchAll(/ (\d+) -> (\S+)/g)].map(([, number]) =>
        Number(number)
      );
      // The program's standard streams, and the folder that it lists.
      assertEquals(handles, [0, 1, 2, 3]);
      await ended;
    } finally {
      server.close();
      await once(server, "close");
    }
  },
});

Deno.test("programFolders() has the server's folders first, and the system's that those of an ordinary user lack", () => {
  const before = Deno.env.get("PATH") ?? "";
  Deno.env.set("PATH", "/own/bin:/usr/bin::/bin");
  try {
    assertEquals(programFolders(), [
      ...["/own/bin", "/usr/bin", "/bin"],
      ...["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/sbin"],
    ]);
  } finally {
    Deno.env.set("PATH", before);
  }
});
