/** Documents and units own pods and containers by their names: one of somebody else, whose ID begins with such a name, stays. */
import { assert, assertEquals } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const podText = (name: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: "${name}"}, spec: {containers: [{name: c, image: "${TINY_NAME}"}]}}`;

Deno.test("a play that replaces, and one that is taken down, touch no pod whose ID begins with the pod's name", async () => {
  await using test = await openTestEngine();
  const { kube, pods } = test.engine;
  const { record: other } = await pods.create({ name: "other" });
  const name = other.id.slice(0, 5);
  assertEquals(pods.resolve(name).id, other.id, "until there is a pod of that name");
  assertEquals((await kube.down(podText(name))).removed, []);
  assertEquals(pods.resolve("other").id, other.id);
  await kube.play(podText(name), { replace: true });
  await kube.play(podText(name), { replace: true });
  assertEquals(pods.list().map((pod) => pod.name).sort(), [name, "other"].sort());
  assertEquals((await kube.down(podText(name))).removed.map((gone) => gone.name), [name]);
  assertEquals(pods.list().map(({ id }) => id), [other.id]);
});

Deno.test("a unit that starts and ends touches no container, pod and network whose ID begins with its name", async () => {
  await using test = await openTestEngine();
  const { containers, networks, pods, quadlets } = test.engine;
  const { record: box } = await containers.create({ image: TINY_NAME, name: "box" });
  const { record: pod } = await pods.create({ name: "other" });
  const { id: networkID } = await networks.create({ name: "elsewhere" });
  const [boxName, podName, networkName] = [box.id, pod.id, networkID].map((id) => id.slice(0, 6));
  const files = {
    "web.container": `[Container]\nContainerName=${boxName}\nImage=${TINY_NAME}\n`,
    "shop.pod": `[Pod]\nPodName=${podName}\n`,
    "front.network": `[Network]\nNetworkName=${networkName}\nNetworkDeleteOnStop=true\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await quadlets.install([{ name, content: new TextEncoder().encode(text) }]);
  }
  const units = ["web.service", "shop-pod.service", "front-network.service"];
  for (const unit of units) await quadlets.start(unit);
  assert(containers.named(boxName) !== undefined && pods.named(podName) !== undefined);
  assertEquals([containers.resolve("box").id, pods.resolve("other").id], [box.id, pod.id]);
  // Somebody removes the unit's own network before it ends.
  await containers.networks.remove(networks.named(networkName)!.id);
  for (const unit of units) await quadlets.stop(unit);
  assertEquals(networks.resolve("elsewhere").id, networkID);
  assert(containers.named(boxName) === undefined && pods.named(podName) === undefined);
  assertEquals([containers.resolve("box").id, pods.resolve("other").id], [box.id, pod.id]);
});
