/** Images from one engine to another, over a Unix socket. */
import { assertEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("ImageScp copies an image to another engine and back", async () => {
  await using session = await Session.shared();
  await using other = await Server.start({});
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const id = ok(await server.podman("image", "inspect", image, "--format", "{{.Id}}"));
  const scp = async (name: string, destination: string) => {
    const query = new URLSearchParams({ destination });
    const reply = await server.request("POST", `/v4.3.1/libpod/images/scp/${encodeURIComponent(name)}?${query}`);
    return { status: reply.status, body: await reply.json() };
  };
  const there = `unix://${other.socket}`;
  assertEquals(await scp(image, `${there}::`), { status: 200, body: { Id: image } });
  assertEquals(ok(await other.podman("image", "inspect", image, "--format", "{{.Id}}")), id);
  ok(await other.podman("tag", image, "localhost/theirs:1"));
  assertEquals(await scp(`${there}::localhost/theirs:1`, ""), { status: 200, body: { Id: "localhost/theirs:1" } });
  assertEquals(ok(await server.podman("image", "inspect", "localhost/theirs:1", "--format", "{{.Id}}")), id);
  const statuses = [
    await scp("none", `${there}::`),
    await scp(`${there}::none`, ""),
    await scp(image, "nobody::"),
    await scp(image, ""),
    await scp(image, `${there}::other:1`),
    await scp(image, "unix:///none.sock::"),
  ].map(({ status }) => status);
  assertEquals(statuses, [404, 500, 500, 500, 500, 500]);
});
