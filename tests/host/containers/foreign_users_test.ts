/** Containers in a user namespace that somebody else has made. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

/** A user namespace, for as long as it is not disposed of. */
async function namespaceOf(host: number): Promise<AsyncDisposable & { path: string }> {
  const args = ["--user", "sh", "-c", "echo; read end"];
  const child = new Deno.Command("unshare", { args, stdin: "piped", stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  for (const kind of ["uid", "gid"]) await Deno.writeTextFile(`/proc/${child.pid}/${kind}_map`, `0 ${host} 65536\n`);
  return {
    path: `/proc/${child.pid}/ns/user`,
    async [Symbol.asyncDispose]() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}

Deno.test("--userns=ns:PATH joins a namespace with files and network as its users see them", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  await Deno.chmod(server.folder, 0o711);
  ok(await server.podman("pull", "-q", image));
  await using first = await namespaceOf(300_000);
  const place = await Deno.makeTempFile({ prefix: "gantry-userns-" });
  const bind = async (path: string) => ok(await run(["mount", "--bind", path, place]));
  await bind(first.path);
  const create = async (name: string, script: string, more: Record<string, unknown> = {}) => {
    const body = { image, name, command: ["sh", "-c", script], userns: { nsmode: "path", value: place }, ...more };
    const reply = await server.request("POST", "/libpod/containers/create", { body });
    return { status: reply.status, message: (await reply.json()).message as string };
  };
  const output = async (name: string) => {
    ok(await server.podman("start", name));
    ok(await server.podman("wait", name));
    return ok(await server.podman("logs", name));
  };
  const script = "cat /proc/self/uid_map; stat -c %u /bin; touch /made; ip link set lo down && echo own";
  try {
    await t.step("the container is in it, on a network that is its own", async () => {
      assertEquals((await create("box", script, { cap_add: ["NET_ADMIN"] })).status, 201);
      assertEquals((await output("box")).replace(/ +/g, " "), " 0 300000 65536\n0\nown\n");
      const owner = ok(
        await server.podman("run", "--rm", "--userns=container:box", "--network=none", image, "id", "-u"),
      );
      assertEquals(owner, "0\n");
      assertEquals((await server.request("HEAD", "/libpod/containers/box/archive?path=/made")).status, 200);
    });

    await t.step("a path that leads to another one since is not joined", async () => {
      ok(await run(["umount", place]));
      await using second = await namespaceOf(400_000);
      await bind(second.path);
      const started = await server.podman("start", "box");
      assertStringIncludes(started.stderr, "has other mappings than when the container was made");
    });

    await t.step("what is no user namespace is refused", async () => {
      ok(await run(["umount", place]));
      const refused = await create("odd", "true");
      assertEquals(refused.status, 500);
      assertStringIncludes(refused.message, `Enter user namespace "${place}"`);
    });
  } finally {
    await run(["umount", place]);
    await until(() => Deno.remove(place));
  }
});
