/** Many container lives leave the machine as it was. */
import { assert, assertEquals } from "@std/assert";
import { ok } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";
import { openFiles, traces } from "../fixtures/traces.ts";
import { isLongRun } from "../long_run.ts";

const cycles = isLongRun ? 1000 : 80;

Deno.test(`${cycles} container cycles leave no process, mount, namespace, cgroup, interface or open file`, async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  const ids: string[] = [];
  const one = async (network: string) => {
    const body = { image, command: ["/bin/true"], netns: { nsmode: network } };
    const { Id } = await (await server.request("POST", "/v4.0.0/libpod/containers/create", { body })).json();
    ids.push(Id);
    assertEquals((await server.request("POST", `/v4.0.0/libpod/containers/${Id}/start`)).status, 204);
    const code = await (await server.request("POST", `/v4.0.0/libpod/containers/${Id}/wait?condition=exited`)).text();
    assertEquals(code.trim(), "0");
    const removed = await server.request("DELETE", `/v4.0.0/libpod/containers/${Id}?force=true`);
    assert(removed.ok, await removed.text());
  };
  // The first lives open what stays open on purpose: the database, watches, the bridge.
  for (let i = 0; i < 8; i++) await one("bridge");
  const files = openFiles(server.pid);
  const worker = async (count: number, network: string) => {
    for (let i = 0; i < count; i++) await one(network);
  };
  await Promise.all([0, 1, 2, 3].map((n) => worker(cycles / 4, n % 2 ? "bridge" : "none")));
  await until(() => {
    assertEquals(traces(server.folder, ids), {
      processes: [],
      mounts: [],
      namespaces: [],
      cgroups: [],
      interfaces: [],
    });
    assert(openFiles(server.pid) <= files + 2, `open files rose from ${files} to ${openFiles(server.pid)}`);
    return Promise.resolve();
  });
});
