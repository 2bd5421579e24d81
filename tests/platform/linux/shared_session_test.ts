/** Servers that tests of a process hand on to each other. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("Session.shared() hands a server on, empty and with its own files only", async () => {
  let folder: string, process: number;
  {
    await using session = await Session.shared();
    const { server, image } = session;
    ({ folder, pid: process } = server);
    ok(await server.podman("pull", "-q", image));
    ok(await server.podman("network", "create", "lan"));
    ok(await server.podman("pod", "create", "--name", "pod", "--network", "lan"));
    ok(await server.podman("run", "-d", "--pod", "pod", "-v", "kept:/kept", image, "sleep", "1000"));
    await Deno.writeTextFile(`${folder}/secret`, "word");
    ok(await server.podman("secret", "create", "word", `${folder}/secret`));
  }
  await using session = await Session.shared();
  assertEquals([session.server.folder, session.server.pid], [folder, process]);
  const counts: Record<string, number> = {};
  for (const kind of ["pods", "containers", "networks", "volumes", "images", "secrets"]) {
    const query = kind === "networks" ? "" : "?all=true";
    counts[kind] = (await (await session.server.request("GET", `/libpod/${kind}/json${query}`)).json()).length;
  }
  assertEquals(counts, { pods: 0, containers: 0, networks: 1, volumes: 0, images: 0, secrets: 0 });
  assertEquals((await Array.fromAsync(Deno.readDir(folder))).filter(({ name }) => name === "secret"), []);
});

Deno.test("Session.shared() hands on no server that a test ended, or whose configuration it changed", async () => {
  const used: string[] = [];
  const changes: ((session: Session) => Promise<unknown>)[] = [
    ({ server }) => server.crash(),
    ({ server }) => Deno.writeTextFile(`${server.folder}/containers.conf`, '[containers]\ntz = "UTC"\n'),
  ];
  for (const change of changes) {
    await using session = await Session.shared();
    used.push(session.server.folder);
    await change(session);
  }
  await using session = await Session.shared();
  used.push(session.server.folder);
  for (const [n, folder] of used.entries()) {
    for (const other of used.slice(n + 1)) assertNotEquals(folder, other);
  }
});
