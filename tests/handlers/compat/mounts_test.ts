/** Mounts as Docker 28.5 tells them back, compared by hand with its daemon. */
import { assertEquals } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** A mount of an inspection. */
interface Told {
  Type: string;
  Name?: string;
  Source: string;
  Destination: string;
  Mode: string;
  RW: boolean;
  Propagation: string;
}

const HOST = {
  Binds: ["/tmp:/b1", "/tmp:/b2/:ro", "kept:/v1", "other:/v2:ro,nocopy", "/tmp:/b3:rw,rprivate", "/tmp:/b4:z"],
  Mounts: [
    { Type: "bind", Source: "/tmp", Target: "/m1" },
    { Type: "bind", Source: "/tmp", Target: "/m2", ReadOnly: true, BindOptions: { Propagation: "rprivate" } },
    { Type: "volume", Source: "mv", Target: "/m3", VolumeOptions: { NoCopy: true, Labels: { q: "w" } } },
    { Type: "volume", Target: "/m4" },
    { Type: "tmpfs", Target: "/m5", TmpfsOptions: { SizeBytes: 1048576, Mode: 448 } },
    { Type: "bind", Source: "/tmp", Target: "/m6/", Consistency: "cached" },
    { Type: "volume", Source: "mv", Target: "/m7", ReadOnly: true },
  ],
  Tmpfs: { "/t1": "size=1m" },
};

Deno.test("CompatGetContainer() tells mounts as they were given, and no other fields of them, as Docker", async () => {
  await using test = await openTestEngine();
  const body = { Image: TINY_NAME, Volumes: { "/anon": {} }, HostConfig: HOST };
  assertEquals((await test.send("POST", "/v1.51/containers/create?name=c", body)).status, 201);
  const { HostConfig, Config, Mounts } = await (await test.send("GET", "/v1.51/containers/c/json")).json();
  const { Binds, Mounts: documents, Tmpfs } = HostConfig;
  assertEquals({ Binds, Mounts: documents, Tmpfs }, HOST);
  assertEquals(Config.Volumes, { "/anon": {} });
  const told: Record<string, string[]> = Object.fromEntries(
    Mounts.map(({ Destination, Type, Mode, RW, Propagation }: Told) => {
      return [Destination, [Type, Mode, RW ? "rw" : "ro", Propagation]];
    }),
  );
  assertEquals(told, {
    "/b1": ["bind", "", "rw", "rprivate"],
    "/b2": ["bind", "ro", "ro", "rprivate"],
    "/b3": ["bind", "rw,rprivate", "rw", "rprivate"],
    "/b4": ["bind", "z", "rw", "rprivate"],
    "/v1": ["volume", "z", "rw", ""],
    "/v2": ["volume", "ro,nocopy", "ro", ""],
    "/m1": ["bind", "", "rw", "rprivate"],
    "/m2": ["bind", "", "ro", "rprivate"],
    "/m3": ["volume", "z", "rw", ""],
    "/m4": ["volume", "z", "rw", ""],
    "/m5": ["tmpfs", "", "rw", ""],
    "/m6": ["bind", "", "rw", "rprivate"],
    "/m7": ["volume", "z", "ro", ""],
    "/anon": ["volume", "", "rw", ""],
  });
  const [listed] = await (await test.send("GET", "/v1.51/containers/json?all=1")).json();
  assertEquals(listed.Mounts.length, 14);
  // Volumes that nobody wrote with a source are in no list of sources.
  const bare = { Image: TINY_NAME, Volumes: { "/anon": {} } };
  assertEquals((await test.send("POST", "/v1.51/containers/create?name=bare", bare)).status, 201);
  const shown = await (await test.send("GET", "/v1.51/containers/bare/json")).json();
  assertEquals([shown.HostConfig.Binds, shown.HostConfig.Mounts, shown.Mounts.length], [[], undefined, 1]);
  // In the versions that Podman's service speaks, too, mounts stand in its lists.
  const older = await (await test.send("GET", "/v1.41/containers/c/json")).json();
  assertEquals([older.HostConfig.Binds.length, older.HostConfig.Mounts], [13, undefined]);
  assertEquals(Object.keys(older.HostConfig.Tmpfs).sort(), ["/m5", "/t1"]);
  assertEquals(older.Mounts.find(({ Name }: Told) => Name === "other").Destination, "/v2");
  // Podman's clients have one list of them, as before.
  const native = await (await test.send("GET", "/libpod/containers/c/json")).json();
  assertEquals(native.HostConfig.Binds.length, 13);
});

Deno.test("CompatGetContainer() tells device rules, annotations and kernel settings as they were given", async () => {
  await using test = await openTestEngine();
  const given = { DeviceCgroupRules: ["c 1:3 r", "b *:* rwm"], Annotations: { a: "b" }, Init: true };
  const body = { Image: TINY_NAME, Domainname: "d", HostConfig: { ...given, Sysctls: { "net.ipv4.ip_forward": "1" } } };
  assertEquals((await test.send("POST", "/v1.51/containers/create?name=c", body)).status, 201);
  const { HostConfig, Config } = await (await test.send("GET", "/v1.51/containers/c/json")).json();
  const { DeviceCgroupRules, Annotations, Init, Sysctls } = HostConfig;
  assertEquals({ DeviceCgroupRules, Annotations, Init }, given);
  assertEquals([Sysctls, Config.Domainname], [{ "net.ipv4.ip_forward": "1" }, "d"]);
  const [listed] = await (await test.send("GET", "/v1.51/containers/json?all=1")).json();
  assertEquals(listed.HostConfig, { NetworkMode: "bridge", Annotations: { a: "b" } });
});

Deno.test("Docker's tree gives volumes without a name its label, and tells of options once", async () => {
  await using test = await openTestEngine();
  const body = { Image: TINY_NAME, Volumes: { "/anon": {} } };
  assertEquals((await test.send("POST", "/v1.51/containers/create?name=c", body)).status, 201);
  const made = await (await test.send("POST", "/v1.51/volumes/create", { Labels: { x: "y" } })).json();
  assertEquals(made.Labels, { "com.docker.volume.anonymous": "", x: "y" });
  const older = await (await test.send("POST", "/v1.41/volumes/create", { Labels: { x: "y" } })).json();
  assertEquals(older.Labels, { x: "y" });
  const filters = encodeURIComponent(JSON.stringify({ label: ["com.docker.volume.anonymous"] }));
  const { Volumes } = await (await test.send("GET", `/v1.51/volumes?filters=${filters}`)).json();
  assertEquals(Volumes.length, 2);
  const DriverOpts = { type: "tmpfs", device: "tmpfs", o: "size=1m" };
  const named = await (await test.send("POST", "/v1.51/volumes/create", { Name: "n", DriverOpts })).json();
  assertEquals([named.Labels, named.Options], [{}, DriverOpts]);
});

Deno.test("Docker's tree tells the options of the default network, Docker Hub among registries, and the old name of a rename", async () => {
  await using test = await openTestEngine();
  const { Options } = await (await test.send("GET", "/v1.51/networks/bridge")).json();
  assertEquals(Options["com.docker.network.bridge.default_bridge"], "true");
  assertEquals(Options["com.docker.network.bridge.name"], test.engine.networks.resolve("podman").interface);
  const { RegistryConfig } = await (await test.send("GET", "/v1.51/info")).json();
  assertEquals(RegistryConfig.IndexConfigs["docker.io"], {
    Name: "docker.io",
    Mirrors: [],
    Secure: true,
    Official: true,
  });
  assertEquals(RegistryConfig.InsecureRegistryCIDRs, ["::1/128", "127.0.0.0/8"]);
  await test.send("POST", "/v1.51/containers/create?name=old", { Image: TINY_NAME });
  await test.send("POST", "/v1.51/containers/old/rename?name=new");
  const filters = encodeURIComponent(JSON.stringify({ event: ["rename"] }));
  const events =
    await (await test.send("GET", `/v1.51/events?since=0&until=9999999999&stream=false&filters=${filters}`)).text();
  assertEquals(JSON.parse(events.trim()).Actor.Attributes.oldName, "/old");
});
