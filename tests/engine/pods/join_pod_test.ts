import { assertEquals, assertThrows } from "@std/assert";
import type { MemberRequest } from "../../../lib/engine/containers/request/container_request.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { joinPod } from "../../../lib/engine/pods/join_pod.ts";
import { openFake } from "../../fixtures/engine/fake_engine.ts";
import type { PodRequest } from "../../../lib/engine/pods/pod_request.ts";

/** A pod as a container joins it. */
async function joined(request: PodRequest = {}) {
  await using engine = await openFake();
  const { record } = await engine.pods.create({ name: "shop", ...request });
  return { record, infra: engine.pods.infraOf(record) };
}

Deno.test("joinPod() joins the namespaces that the pod shares, and those that are asked for", async () => {
  const pod = await joined({ shared: ["net", "ipc", "pid"] });
  const infra = { mode: "container" as const, value: pod.record.infraID };
  const rows: [MemberRequest["namespaces"], unknown][] = [
    [undefined, { network: infra, pid: infra, ipc: infra }],
    [{ pid: { mode: "private" }, ipc: { mode: "host" } }, {
      network: infra,
      pid: { mode: "private" },
      ipc: { mode: "host" },
    }],
    [{ uts: { mode: "pod" } }, { network: infra, pid: infra, ipc: infra, uts: infra }],
    [{ user: { mode: "pod" } }, { network: infra, pid: infra, ipc: infra, user: { mode: "host" } }],
  ];
  for (const [namespaces, expected] of rows) assertEquals(joinPod({ namespaces }, pod).namespaces, expected);
  const onHost = await joined({ container: { namespaces: { network: { mode: "host" } } } });
  assertEquals(joinPod({}, onHost).namespaces?.network, { mode: "host" }, "the host's is nobody's to share");
});

Deno.test("joinPod() passes on what the infra container has, and what the pod has for all", async () => {
  const pod = await joined({
    restartPolicy: { name: "always" },
    container: { mounts: [{ type: "volume", source: "data", destination: "/data", options: [] }], apparmor: "tight" },
  });
  const plain = joinPod({ volumesFrom: ["other"] }, pod);
  assertEquals(
    [plain.pod, plain.restartPolicy, plain.cgroupParent, plain.volumesFrom, plain.apparmor],
    [pod.record.id, { name: "always" }, pod.record.cgroupPath, [pod.record.infraID, "other"], "tight"],
  );
  const withDevices = await joined({ container: { cdiDevices: ["acme.com/card=0"] } });
  assertEquals(joinPod({ cdiDevices: ["acme.com/card=1"] }, withDevices).cdiDevices, [
    "acme.com/card=0",
    "acme.com/card=1",
  ]);
  const own = joinPod({ restartPolicy: { name: "no" }, cgroupParent: "/mine", apparmor: "loose" }, pod);
  assertEquals([own.restartPolicy, own.cgroupParent, own.apparmor], [{ name: "no" }, "/mine", "loose"]);
  assertEquals(joinPod({ initContainer: "once" }, pod).restartPolicy, undefined, "it runs to its end");
  assertEquals(joinPod({ cgroupsMode: "disabled" }, pod).cgroupParent, undefined);
  const apart = await joined({ ownsCgroup: false });
  assertEquals(joinPod({}, apart).cgroupParent, undefined);
});

Deno.test("joinPod() refuses what only the pod can have, in Podman's words", async () => {
  const pod = await joined();
  const bare = await joined({ infra: false });
  const port = { hostIP: "", hostPort: 80, containerPort: 80, protocol: "tcp" as const, range: 1 };
  const onPod = "network cannot be configured when it is shared with a pod";
  const rows: [MemberRequest, string][] = [
    [{ networks: { lan: {} } }, `networks must be defined when the pod is created: ${onPod}`],
    [{ ports: [port] }, `published or exposed ports must be defined when the pod is created: ${onPod}`],
    [{ publishImagePorts: true }, "published or exposed ports must be defined when the pod is created"],
    [{ hosts: ["a:1.2.3.4"] }, `extra host entries must be specified on the pod: ${onPod}`],
    [{ hostname: "mine" }, "cannot set hostname when joining the pod UTS namespace: invalid configuration"],
    [
      { namespaces: { user: { mode: "private" } } },
      "cannot set user namespace mode when joining pod with infra container: invalid argument",
    ],
  ];
  for (const [request, message] of rows) assertThrows(() => joinPod(request, pod), EngineError, message);
  assertEquals(joinPod({ hostname: "shop" }, pod).hostname, undefined, "the pod's name is its hostname anyway");
  const own = joinPod({ namespaces: { network: { mode: "bridge" } }, ports: [port] }, pod);
  assertEquals(own.ports, [port], "a network of its own has its own ports");
  const noInfra = "cannot use pod namespace as container is not joining a pod or pod has no infra container";
  assertThrows(() => joinPod({ namespaces: { pid: { mode: "pod" } } }, bare), EngineError, noInfra);
  assertThrows(() => joinPod({ namespaces: { pid: { mode: "pod" } } }), EngineError, noInfra);
  assertThrows(() => joinPod({ initContainer: "once" }), EngineError, "init containers must be created in a pod");
  assertEquals(joinPod({ hostname: "mine", ports: [port] }, bare).hostname, "mine", "nothing is shared");
});
