import { assertEquals } from "@std/assert";
import type { Platform, UpgradeInit } from "../../../lib/rest/mod.ts";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

/** A connection whose far end the test holds. */
function connection() {
  const up = new TransformStream<Uint8Array, Uint8Array>();
  const down = new TransformStream<Uint8Array, Uint8Array>();
  const announced: UpgradeInit[] = [];
  const platform: Platform = {
    upgrade(init = {}) {
      announced.push(init);
      return { readable: up.readable, writable: down.writable, response: new Response(null) };
    },
  };
  return { platform, announced, input: up.writable.getWriter(), output: down.readable };
}

async function started(test: TestEngine, spec: Record<string, unknown> = {}): Promise<string> {
  const reply = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, ...spec });
  const { Id } = await reply.json();
  await test.engine.containers.start(Id);
  return Id;
}

const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };

Deno.test("AttachContainer() takes the connection over, frames output and passes input on", async () => {
  await using test = await openTestEngine();
  const id = await started(test, { stdin: true });
  const { platform, announced, input, output } = connection();
  const url = `http://d/v4.3.1/libpod/containers/${id}/attach?stdin=true&stdout=true&stderr=true`;
  await test.serve(new Request(url, { method: "POST", headers: UPGRADE }), platform);
  const headers = new Headers(announced[0].headers);
  assertEquals([announced[0].status, headers.get("upgrade"), headers.get("content-type")], [
    101,
    "tcp",
    "application/vnd.docker.raw-stream",
  ]);
  const typed = test.kernel.processes.get(id)?.input ?? [];
  await input.write(new TextEncoder().encode("typed"));
  await untilTrue(() => typed.length > 0);
  test.kernel.write(id, "out\n");
  test.kernel.write(id, "err\n", "stderr");
  test.kernel.end(id, 0);
  const received = new Uint8Array(await new Response(output).arrayBuffer());
  const text = new TextDecoder().decode(received);
  assertEquals([received[0], text.slice(8, 12), received[12], text.slice(20)], [1, "out\n", 2, "err\n"]);
  assertEquals(typed.map((chunk) => new TextDecoder().decode(chunk)), ["typed"]);
  await input.close();
});

// The consoles of cockpit-podman.
Deno.test("AttachContainer() takes the connection over for a POST that asks for an upgrade named WebSocket", async () => {
  await using test = await openTestEngine();
  const id = await started(test, { terminal: true });
  const { platform, announced, output } = connection();
  const headers = { Connection: "Upgrade", Upgrade: "WebSocket" };
  const url = `http://d/v3.4.0/libpod/containers/${id}/attach?&stdin=true&stdout=true&stderr=true`;
  await test.serve(new Request(url, { method: "POST", headers }), platform);
  assertEquals([announced[0].status, new Headers(announced[0].headers).get("upgrade")], [101, "WebSocket"]);
  test.kernel.write(id, "raw");
  test.kernel.end(id, 0);
  assertEquals(await new Response(output).text(), "raw");
});

Deno.test("AttachContainer() answers a bare 200 to who asks for no upgrade, and raw bytes from a terminal", async () => {
  await using test = await openTestEngine();
  const id = await started(test, { terminal: true });
  const { platform, announced, input, output } = connection();
  const request = new Request(`http://d/containers/${id}/attach?stdout=1`, { method: "POST" });
  await test.serve(request, platform);
  const headers = new Headers(announced[0].headers);
  assertEquals([announced[0].status, headers.get("upgrade")], [200, null]);
  test.kernel.write(id, "raw\n");
  test.kernel.end(id, 0);
  assertEquals(await new Response(output).text(), "raw\n");
  await input.close();
});

Deno.test("AttachContainer() refuses what makes no sense before it touches the connection", async () => {
  await using test = await openTestEngine();
  const id = await started(test);
  const { platform, announced } = connection();
  const rows: [path: string, status: number][] = [
    [`/libpod/containers/${id}/attach?stdin=false&stdout=false`, 400],
    [`/libpod/containers/${id}/attach?stdout=true&stream=false`, 400],
    [`/libpod/containers/${id}/attach?stdout=perhaps`, 400],
    ["/libpod/containers/none/attach?stdout=true", 404],
    ["/containers/none/attach?stdout=1", 404],
  ];
  for (const [path, status] of rows) {
    const reply = await test.serve(new Request(`http://d${path}`, { method: "POST", headers: UPGRADE }), platform);
    assertEquals(reply.status, status, path);
    await reply.body?.cancel();
  }
  assertEquals(announced, []);
});
