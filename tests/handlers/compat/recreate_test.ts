import { assertEquals } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** As a client writes what `docker run` is given. */
const BODIES: Record<string, unknown>[] = [
  { Image: TINY_NAME },
  {
    Image: TINY_NAME,
    Cmd: ["sleep", "9"],
    Env: ["A=b"],
    Labels: { x: "y" },
    Hostname: "hh",
    User: "1",
    Tty: true,
    OpenStdin: true,
    StopTimeout: 3,
    ExposedPorts: { "80/tcp": {} },
    Healthcheck: { Test: ["CMD-SHELL", "true"] },
    HostConfig: {
      Binds: ["/tmp:/t:ro", "named:/v"],
      Tmpfs: { "/x": "" },
      NanoCpus: 1_500_000_000,
      Memory: 1 << 27,
      RestartPolicy: { Name: "always" },
      PortBindings: { "80/tcp": [{ HostIp: "", HostPort: "8080" }] },
      Ulimits: [{ Name: "nofile", Soft: 100, Hard: 200 }],
      CapAdd: ["CAP_NET_ADMIN"],
      Dns: ["1.1.1.1"],
      ExtraHosts: ["a:1.2.3.4"],
      SecurityOpt: ["no-new-privileges", "seccomp=unconfined"],
      LogConfig: { Type: "json-file", Config: { "max-size": "1m" } },
      Sysctls: { "net.core.somaxconn": "99" },
      PidsLimit: 50,
      ShmSize: 1 << 20,
      StorageOpt: { size: "8m", inodes: "900" },
      OomScoreAdj: 50,
      GroupAdd: ["5"],
      ConsoleSize: [21, 71],
      Init: true,
    },
  },
  {
    Image: TINY_NAME,
    HostConfig: { MaskedPaths: ["/proc/kcore"], ReadonlyPaths: [] },
    NetworkingConfig: { EndpointsConfig: { bridge: { IPAMConfig: { IPv4Address: "10.87.0.77" }, Aliases: ["web"] } } },
  },
  {
    Image: TINY_NAME,
    HostConfig: {
      Mounts: [
        { Type: "bind", Source: "/tmp", Target: "/with:colon", ReadOnly: true },
        { Type: "volume", Source: "kept", Target: "/kept", VolumeOptions: { NoCopy: true } },
        { Type: "tmpfs", Target: "/scratch", TmpfsOptions: { SizeBytes: 1 << 20, Mode: 0o1777 } },
      ],
    },
  },
  { Image: TINY_NAME, HostConfig: { NetworkMode: "host", PidMode: "host", Privileged: true } },
  {
    Image: TINY_NAME,
    HostConfig: { NetworkMode: "none", IpcMode: "none", ReadonlyRootfs: true, CgroupnsMode: "host" },
  },
];

/** The limits above, as an inspection shows them. */
const LIMITS = { size: String(8 * 1024 * 1024), inodes: "900" };

// Watchtower, Portainer and others replace a container so.
Deno.test("CompatCreateContainer() makes the same container from what an inspection shows", async () => {
  await using test = await openTestEngine();
  test.kernel.quotas = new Map();
  for (const [index, body] of BODIES.entries()) {
    const make = async (name: string, body: unknown) => {
      const reply = await test.send("POST", `/v1.44/containers/create?name=${name}`, body);
      assertEquals(reply.status, 201, await reply.clone().text());
      return await (await test.send("GET", `/v1.44/containers/${name}/json`)).json();
    };
    const first = await make(`first${index}`, body);
    assertEquals((await test.send("DELETE", `/containers/first${index}`)).status, 204);
    const { Config, HostConfig, NetworkSettings, Mounts } = first;
    const NetworkingConfig = { EndpointsConfig: NetworkSettings.Networks };
    const second = await make(`second${index}`, { ...Config, HostConfig, NetworkingConfig });
    assertEquals(first.HostConfig.StorageOpt, index === 1 ? LIMITS : undefined);
    assertEquals([second.Config, second.HostConfig, second.Mounts], [Config, HostConfig, Mounts]);
    const asked = ({ NetworkSettings }: typeof first) =>
      Object.values<{ IPAMConfig: unknown }>(NetworkSettings.Networks).map(({ IPAMConfig }) => IPAMConfig);
    assertEquals(asked(second), asked(first));
    const address = body.NetworkingConfig && "10.87.0.77";
    if (address) assertEquals(asked(second), [{ IPv4Address: address }]);
  }
});

Deno.test("CompatCreateContainer() refuses two wishes for the processor that disagree", async () => {
  await using test = await openTestEngine();
  const HostConfig = { NanoCpus: 1e9, CpuPeriod: 100_000, CpuQuota: 50_000 };
  const reply = await test.send("POST", "/containers/create", { Image: TINY_NAME, HostConfig });
  const { message } = await reply.json();
  assertEquals([reply.status, message], [400, "NanoCpus conflicts with CpuPeriod and CpuQuota"]);
});
