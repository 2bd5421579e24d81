/** A server that is killed while pods live leaves whole pods, and nothing besides. */
import { assert, assertEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";
import { isLongRun } from "../../long_run.ts";

const kills = isLongRun ? 100 : 3;

Deno.test(`${kills} kills amid pod lives leave whole pods, and no process, mount, namespace, cgroup or interface`, async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", "--tls-verify=false", image));
  const ids: string[] = [];
  // deno-lint-ignore no-explicit-any -- the fields of a foreign JSON text
  const send = async (method: string, path: string, body?: unknown): Promise<any> => {
    try {
      const text = await (await server.request(method, `/v5.0.0/libpod/${path}`, { body })).text();
      return text === "" ? {} : JSON.parse(text);
    } catch {
      // Whatever a dying server answers, or does not.
      return {};
    }
  };
  const live = async (name: string) => {
    const pod = await send("POST", "pods/create", { name, infra_name: `${name}-infra` });
    const member = await send("POST", "containers/create", {
      image,
      name: `${name}-web`,
      pod: name,
      command: ["sleep", "999"],
      stop_timeout: 0,
    });
    ids.push(...[pod.Id, member.Id].filter((id) => id !== undefined));
    for (const verb of ["start", "pause", "unpause", "restart", "stop?t=1"]) await send("POST", `pods/${name}/${verb}`);
    await send("DELETE", `pods/${name}?force=true&timeout=0`);
  };
  for (let kill = 0; kill < kills; kill++) {
    let goesOn = true;
    const load = ["a", "b"].map(async (name) => {
      while (goesOn) await live(name);
    });
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1200));
    await server.stop("SIGKILL");
    goesOn = false;
    await Promise.all(load);
    await server.launch();
    const pods: { Id: string; InfraId: string }[] = await send("GET", "pods/json");
    const containers: { Id: string; Pod: string }[] = await send("GET", "containers/json?all=true");
    for (const { InfraId } of pods) {
      assert(containers.some(({ Id }) => Id === InfraId), "a pod has its infra container");
    }
    for (const { Pod } of containers) assert(pods.some(({ Id }) => Id === Pod), "a container has its pod");
    ids.push(...pods.map(({ Id }) => Id), ...containers.map(({ Id }) => Id));
    for (const { Id } of pods) {
      await send("POST", `pods/${Id}/start`);
      const { Err, message } = await send("DELETE", `pods/${Id}?force=true&timeout=0`);
      assertEquals([Err, message], [null, undefined], "every pod that is left can be removed");
    }
  }
  await until(() => {
    const none = { processes: [], mounts: [], namespaces: [], cgroups: [], interfaces: [] };
    assertEquals(traces(server.folder, ids), none);
    return Promise.resolve();
  });
});
