/** Documents that the engine writes, and what becomes of them when they are played. */
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import type { MemberRequest } from "../../../lib/engine/containers/request/container_request.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { readYAML } from "../../../lib/engine/kube/read/read_yaml.ts";
import type { PodRequest } from "../../../lib/engine/pods/pod_request.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { seeded } from "../../fixtures/engine/fake_engine.ts";
import { requirePublished } from "../../fixtures/kube/published_schema.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** The text without the moment it was written at. */
function timeless(text: string): string {
  return text.replaceAll(/creationTimestamp: .*/g, "creationTimestamp: then");
}

/** The parts of a container that a document has to bring back. */
function essence({ name, spec, process, mounts, stopTimeout, stopSignal, health }: ContainerRecord) {
  const { env, groups, capAdd, capDrop, readOnly, privileged, noNewPrivileges, terminal, stdin, unmasks } = spec;
  const { resources, initContainer, annotations, restartPolicy, apparmor, seccomp } = spec;
  const { "io.kubernetes.cri-o.SandboxID": _, ...kept } = annotations;
  return {
    ...{ name, process, stopTimeout, stopSignal, health, env, groups, readOnly, privileged, noNewPrivileges, terminal },
    ...{ stdin, unmasks, initContainer, restartPolicy, annotations: kept, apparmor, seccomp },
    hooks: spec.hooks,
    resources: { memory: resources.memory, cpu: resources.cpu },
    mounts: mounts.map(({ type, source, destination, options }) => ({ type, source, destination, options })),
    caps: [capAdd, capDrop].map((list) => [...list].sort()),
  };
}

function podEssence({ pods }: Engine, name: string) {
  const pod = pods.resolve(name);
  const infra = pods.infraOf(pod);
  const { spec, ports } = infra!;
  return {
    ...{ name: pod.name, labels: pod.labels, shared: pod.shared, restartPolicy: pod.restartPolicy, ports },
    hostname: infra?.hostname,
    names: [spec.hosts, spec.dnsServers, spec.dnsSearch, spec.dnsOptions],
    sysctl: spec.sysctl,
    modes: [spec.namespaces.network, spec.namespaces.pid, spec.namespaces.ipc],
    members: pods.membersOf(pod).slice(1).map(essence),
  };
}

/** Makes requests of every kind a document can hold, by numbers from 0 to 1. */
function makeRequests(random: () => number): { pod: PodRequest; members: MemberRequest[] } {
  const some = <T>(value: T): T | undefined => random() < 0.5 ? value : undefined;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)];
  const texts = [
    "plain",
    "with space",
    "$(HOME)",
    "$$(A) $ $",
    "yes",
    "0x1F",
    "a: b # c",
    "line\nline\n",
    'q"\\',
    "é\u2028",
    "",
  ];
  const member = (index: number): MemberRequest => ({
    name: `shop-c${index}`,
    image: TINY_NAME,
    entrypoint: some(["run", pick(texts)]),
    command: some(["serve", pick(texts), pick(texts)]),
    env: { ONE: pick(texts), TWO: pick(texts) },
    workdir: some("/srv"),
    hooks: some({
      postStart: { kind: "command", command: ["run", pick(texts)] },
      preStop: { kind: "sleep", seconds: 3 },
    }),
    terminal: random() < 0.3,
    stdin: random() < 0.3,
    user: some(pick(["1000", "1000:2000", "0"])),
    capAdd: some(["CAP_NET_ADMIN", "SYS_TIME"]),
    capDrop: some(["KILL"]),
    privileged: random() < 0.1,
    readOnly: some(true),
    readWriteTmpfs: true,
    noNewPrivileges: random() < 0.3,
    unmasks: random() < 0.3 ? ["ALL"] : [],
    resources: {
      memory: some({ limit: 64 << 20, reservation: some(32 << 20) }),
      cpu: some({ quota: pick([50000, 150000, 1000]), period: 100000, shares: some(pick([512, 1024, 102])) }),
    },
    stopSignal: some(2),
    stopTimeout: 7,
    groups: ["3000"],
    restartPolicy: { name: "always" },
    health: some({
      check: { test: ["CMD", "test", pick(texts)], interval: 5000, timeout: 2000, retries: 3, startPeriod: 1000 },
      onFailure: pick(["restart", "none"]),
    }),
    mounts: [
      ...random() < 0.5
        ? [{ type: "volume" as const, source: "data", destination: "/data", options: some(["ro"]) ?? [] }]
        : [],
      ...random() < 0.5
        ? [{ type: "volume" as const, source: "shop-tmp", destination: "/tmp2", options: [], anonymous: true }]
        : [],
      ...random() < 0.5
        ? [{ type: "tmpfs" as const, source: "tmpfs", destination: "/fast", options: ["size=16m"] }]
        : [],
    ],
  });
  return {
    pod: {
      name: "shop",
      labels: { app: "shop", tier: pick(["front", "yes", "1"]) },
      exitPolicy: "stop",
      restartPolicy: { name: "always" },
      shared: ["ipc", "net", "uts", ...random() < 0.3 ? ["pid"] : []],
      container: {
        networks: { "podman-default-kube-network": {} },
        ports: random() < 0.5 ? [{ hostIP: "", hostPort: 8080, containerPort: 80, protocol: "tcp", range: 1 }] : [],
        hosts: some(["db:10.1.2.3", "cache:10.1.2.3"]),
        dnsServers: some(["9.9.9.9"]),
        dnsSearch: some(["example.com"]),
        dnsOptions: some(["ndots:2", "debug"]),
        sysctl: some({ "net.core.somaxconn": "99" }),
        readOnly: true,
      },
    },
    members: Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => member(index)),
  };
}

Deno.test("Kube.generate() writes pods that play again into the same, whatever is asked for", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    await using test = await openTestEngine();
    const { engine } = test;
    const { pod, members } = makeRequests(seeded(seed));
    await engine.networks.create({ name: "podman-default-kube-network", dns: true });
    await engine.volumes.create({ name: "data" });
    const { record } = await engine.pods.create(pod);
    for (const member of members) await engine.containers.create({ ...member, pod: record.id });
    const text = await engine.kube.generate(["shop"]);
    for (const type of ["pod", "deployment", "daemonset"] as const) {
      assertEquals(requirePublished(await engine.kube.generate(["shop", "data"], { type, service: true })), 3);
    }
    const first = podEssence(engine, "shop");
    const { pods: [played] } = await engine.kube.play(text, { replace: true, start: false });
    assertEquals(played.notes, [], `seed ${seed}: everything is honoured`);
    const second = podEssence(engine, "shop");
    const shown = ({ members, ...rest }: typeof first) => ({
      ...rest,
      members: members.map((member) => ({
        ...member,
        // The same sizes, told in other units.
        mounts: member.mounts.map((mount) => ({
          ...mount,
          options: mount.options.map((option) => option.replace("size=16777216", "size=16m")),
        })),
        caps: member.caps.map((list) => list.map((name) => name.replace(/^CAP_/, "")).sort()),
      })),
    });
    assertEquals(shown(second), shown(first), `seed ${seed}:\n${text}`);
    const again = await engine.kube.generate(["shop"]);
    const { pods: [_] } = await engine.kube.play(again, { replace: true, start: false });
    assertEquals(timeless(await engine.kube.generate(["shop"])), timeless(again), `seed ${seed}`);
  }
});

Deno.test("Kube.generate() writes a container alone, its ports for a service, and kinds that make pods", async () => {
  await using test = await openTestEngine();
  const { kube, containers } = test.engine;
  await containers.create({
    name: "web",
    image: TINY_NAME,
    ports: [{ hostIP: "", hostPort: 8080, containerPort: 80, protocol: "udp", range: 2 }],
  });
  // deno-lint-ignore no-explicit-any -- the fields of a foreign YAML text
  const parse = async (options: Record<string, unknown>) => readYAML(await kube.generate(["web"], options)) as any[];
  const [pod] = await parse({});
  assertEquals([pod.kind, pod.metadata.name, pod.spec.restartPolicy], ["Pod", "web-pod", "Never"]);
  assertEquals(pod.spec.containers[0].ports, [
    { containerPort: 80, hostPort: 8080, protocol: "UDP" },
    { containerPort: 81, hostPort: 8081, protocol: "UDP" },
  ]);
  const [service, alone] = await parse({ service: true });
  assertEquals([service.kind, service.spec.type, service.spec.selector], ["Service", "NodePort", { app: "web-pod" }]);
  assertEquals(service.spec.ports[0], { name: "80-udp", nodePort: 30080, port: 80, protocol: "UDP", targetPort: 80 });
  assertEquals(alone.spec.containers[0].ports, [{ containerPort: 80, protocol: "UDP" }, {
    containerPort: 81,
    protocol: "UDP",
  }]);
  const [deployment] = await parse({ type: "deployment", replicas: 3 });
  assertEquals(
    [
      deployment.apiVersion,
      deployment.metadata.name,
      deployment.spec.replicas,
      deployment.spec.template.spec.restartPolicy,
    ],
    ["apps/v1", "web-pod-deployment", 3, "Always"],
  );
  assertEquals(deployment.spec.selector.matchLabels, deployment.spec.template.metadata.labels);
  const [job] = await parse({ type: "job" });
  assertEquals([job.kind, job.spec.completions, job.spec.template.spec.restartPolicy], ["Job", 1, "Never"]);
  const [daemons] = await parse({ type: "daemonset" });
  assertEquals([daemons.kind, daemons.metadata.name], ["DaemonSet", "web-pod-daemonset"]);
});

Deno.test("Kube.generate() writes amounts of memory in the largest unit that takes them whole", async () => {
  await using test = await openTestEngine();
  const { kube, containers } = test.engine;
  const amounts: readonly [bytes: number, text: string][] = [
    [3 * 1024 ** 3, "3Gi"],
    [64 * 1024 ** 2, "64Mi"],
    [1536 * 1024, "1536Ki"],
    [1_000_000_001, "1000000001"],
  ];
  for (const [index, [limit]] of amounts.entries()) {
    await containers.create({
      name: `m${index}`,
      image: TINY_NAME,
      resources: { memory: { limit, reservation: limit } },
    });
  }
  // deno-lint-ignore no-explicit-any -- the fields of a foreign YAML text
  const [pod] = readYAML(await kube.generate(amounts.map((_, index) => `m${index}`))) as any[];
  for (const [index, [, text]] of amounts.entries()) {
    const { limits, requests } = pod.spec.containers[index].resources;
    assertEquals([limits.memory, requests.memory], [text, text]);
  }
});

Deno.test("Kube.generate() writes the policy of a pod's containers where the pod has none", async () => {
  await using test = await openTestEngine();
  const { kube, containers, pods } = test.engine;
  for (
    const [pod, policies] of [["kept", ["on-failure"]], ["late", ["no", "on-failure", "always"]], ["none", [
      undefined,
    ]]] as const
  ) {
    const { record } = await pods.create({ name: pod });
    for (const [i, name] of policies.entries()) {
      const restartPolicy = name && { name };
      await containers.create({
        name: `${pod}-${i}`,
        image: TINY_NAME,
        pod: record.id,
        ...restartPolicy && { restartPolicy },
      });
    }
  }
  // deno-lint-ignore no-explicit-any -- the fields of a foreign YAML text
  const documents = readYAML(await kube.generate(["kept", "late", "none"])) as any[];
  assertEquals(documents.map(({ spec }) => spec.restartPolicy), ["OnFailure", "Always", "Never"]);
  // What the containers have is no reason to refuse a kind that starts them always.
  await kube.generate(["kept"], { type: "deployment" });
});

Deno.test("Kube.generate() says what it cannot write, and refuses what makes no sense", async () => {
  await using test = await openTestEngine();
  const { kube, containers, pods, volumes } = test.engine;
  await pods.create({ name: "empty" });
  const { record } = await pods.create({ name: "shop" });
  await containers.create({ name: "inside", image: TINY_NAME, pod: record.id });
  await containers.create({ name: "never", image: TINY_NAME, restartPolicy: { name: "no" }, user: "nobody" });
  await containers.create({ name: "always", image: TINY_NAME, restartPolicy: { name: "always" } });
  const rows: [names: string[], options: Record<string, unknown>, message: string][] = [
    [["absent"], {}, 'name or ID "absent" not found'],
    [["inside"], {}, "use generate on the pod itself"],
    [["empty"], {}, "only has an infra container"],
    [["never"], { type: "deployment" }, "k8s Deployments can only have restartPolicy set to Always"],
    [["never"], { type: "daemonset" }, "k8s DaemonSets can only have restartPolicy set to Always"],
    [["always"], { type: "daemonset", replicas: 2 }, "k8s DaemonSets don't allow setting replicas"],
    [["always"], { type: "job" }, "k8s Jobs can not have restartPolicy set to Always"],
    [["always"], { type: "cronjob" }, "invalid generation type"],
    [["always"], { type: "toString" }, "invalid generation type"],
  ];
  for (const [names, options, message] of rows) {
    await assertRejects(() => kube.generate(names, options), EngineError, message);
  }
  assertStringIncludes(await kube.generate(["never"]), '# NOTE: container never: the user "nobody" is left out');
  await volumes.create({
    name: "my_data",
    labels: { tier: "db" },
    options: { type: "tmpfs", device: "tmpfs", o: "size=1m" },
  });
  const [claim] = readYAML(await kube.generate(["my_data"]));
  assertEquals(
    (claim as Record<string, Record<string, unknown>>).metadata.annotations,
    {
      "volume.podman.io/driver": "local",
      "volume.podman.io/device": "tmpfs",
      "volume.podman.io/type": "tmpfs",
      "volume.podman.io/mount-options": "size=1m",
    },
  );
  assert((await kube.play(await kube.generate(["my_data"]))).volumes.includes("my-data"));
});

Deno.test("requirePublished() finds a wrong type, a missing field and an unknown kind", () => {
  const pod = (spec: string, kind = "Pod") => `{apiVersion: v1, kind: ${kind}, metadata: {name: p}, spec: ${spec}}`;
  assertEquals(requirePublished(pod("{containers: [{name: c, image: i}]}")), 1);
  assertThrows(() => requirePublished(pod("{containers: [{name: c, tty: 5}]}")), Error, "tty must be boolean");
  assertThrows(() => requirePublished(pod("{containers: [{image: i}]}")), Error, "must have required property name");
  assertThrows(() => requirePublished(pod("{}", "Node")), Error, "no description of v1 Node");
});
