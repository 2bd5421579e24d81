import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { checkPodRequest, draftPod, infraRequest } from "../../../lib/engine/pods/draft_pod.ts";
import type { PodRequest } from "../../../lib/engine/pods/pod_request.ts";

const FACTS = {
  id: "a".repeat(64),
  name: "shop",
  created: 5,
  infraID: "b".repeat(64),
  group: { parent: "/engine", path: "/engine/a" },
};

Deno.test("draftPod() fills what a request leaves out", () => {
  assertEquals(draftPod({}, FACTS), {
    id: FACTS.id,
    name: "shop",
    created: 5,
    infraID: FACTS.infraID,
    labels: {},
    shared: ["ipc", "net", "uts"],
    exitPolicy: "continue",
    cgroupParent: "/engine",
    cgroupPath: "/engine/a",
    resources: {},
    createCommand: [],
  });
  const bare = draftPod({ infra: false, ownsCgroup: false }, { ...FACTS, infraID: "", group: undefined });
  assertEquals([bare.shared, bare.cgroupParent, bare.cgroupPath], [[], "", ""]);
});

Deno.test("draftPod() reads the words of shared namespaces, and shares users where the pod has its own", () => {
  const rows: [PodRequest, string][] = [
    [{ shared: [] }, ""],
    [{ shared: ["none"] }, ""],
    [{ shared: ["uts", "pid", "", "cgroup"] }, "cgroup pid uts"],
    [{ shared: ["user", "net"] }, "net"],
    [{ shared: ["net"], container: { namespaces: { user: { mode: "private" } } } }, "net user"],
    [{ shared: ["net"], container: { namespaces: { user: { mode: "host" } } } }, "net"],
  ];
  for (const [request, shared] of rows) assertEquals(draftPod(request, FACTS).shared.join(" "), shared);
  const refused: [string, string][] = [
    ["mnt", "mount sharing functionality not supported on pod level"],
    ["time", "invalid kernel namespace to share: time. Options are: cgroup, ipc, net, pid, uts or none"],
  ];
  for (const [word, message] of refused) {
    assertThrows(() => draftPod({ shared: ["net", word] }, FACTS), EngineError, message);
  }
  assertThrows(() => draftPod({ exitPolicy: "leave" }, FACTS), EngineError, 'invalid pod exit policy: "leave"');
});

Deno.test("infraRequest() runs the pause program, under the pod's hostname, in the pod's cgroup", () => {
  const pod = draftPod({}, FACTS);
  const { name, image, entrypoint, hostname, namespaces, cgroupParent, infra } = infraRequest({}, pod);
  assertEquals(
    [name, image, entrypoint, hostname, namespaces?.ipc, cgroupParent, infra],
    ["aaaaaaaaaaaa-infra", "", ["/catatonit", "-P"], "shop", { mode: "shareable" }, "/engine/a", true],
  );
  const own = infraRequest({ infra: { name: "hold", image: "pause", command: ["/pause"] } }, pod);
  assertEquals([own.name, own.image, own.entrypoint], ["hold", "pause", ["/pause"]]);
  const ofImage = infraRequest({ infra: { image: "pause" } }, pod);
  assertEquals(ofImage.entrypoint, undefined, "the image's own");
  const hostUTS = infraRequest({ container: { namespaces: { uts: { mode: "host" } } } }, pod);
  assertEquals(hostUTS.hostname, undefined, "the host's name is not the pod's to set");
  const long = infraRequest({}, { ...pod, name: "p".repeat(80) });
  assertEquals(long.hostname?.length, 63, "the kernel takes no more");
});

Deno.test("checkPodRequest() refuses requests that contradict themselves, in Podman's words", () => {
  const rows: [PodRequest, string][] = [
    [{ infra: false, shared: ["net"] }, "infra and shared are mutually exclusive pod options: invalid pod spec"],
    [
      { infra: false, container: { namespaces: { network: { mode: "host" } } } },
      "NoInfra and network modes cannot be used together",
    ],
    [{ infra: false, container: { networks: { lan: {} } } }, "cannot set networks options without infra container"],
    [{ infra: false, container: { dnsServers: ["9.9.9.9"] } }, "infra and dnsServers are mutually exclusive"],
    [{ infra: false, container: { hosts: ["a:1.2.3.4"] } }, "infra and hosts are mutually exclusive"],
    [{ infra: false, container: { noResolvConf: true } }, "infra and noResolvConf are mutually exclusive"],
    [
      { container: { namespaces: { network: { mode: "host" } }, ports: [port(80)] } },
      "PortMappings can only be used with Bridge or pasta networking",
    ],
    [
      { container: { namespaces: { network: { mode: "none" } }, networks: { lan: {} } } },
      "cannot disable pod network if network-related configuration is specified",
    ],
    [
      { container: { namespaces: { network: { mode: "host" } }, networks: { lan: {} } } },
      "cannot set host network if network-related configuration is specified",
    ],
    [{ cgroupParent: "/my.slice/" }, "systemd slice received as cgroup parent when using cgroupfs: invalid argument"],
    [{ cgroupParent: "/a\0b" }, "invalid cgroup parent"],
    [{ resources: { memory: { limit: 2, swap: 1 } } }, "minimum memoryswap limit should be larger than memory limit"],
    [{ container: { noResolvConf: true, dnsSearch: ["x"] } }, "noResolvConf and dnsSearch are mutually exclusive"],
    [{ container: { noHosts: true, hosts: ["a:1.2.3.4"] } }, "noHosts and hosts are mutually exclusive"],
    [{ container: { noHosts: true, baseHosts: "none" } }, "noHosts and baseHosts are mutually exclusive"],
  ];
  for (const [request, message] of rows) assertThrows(() => checkPodRequest(request), EngineError, message);
});

function port(hostPort: number) {
  return { hostIP: "", hostPort, containerPort: 80, protocol: "tcp" as const, range: 1 };
}
