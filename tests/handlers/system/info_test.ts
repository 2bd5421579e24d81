import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { formatUptime } from "../../../handlers/system/info.ts";
import { openTestEngine, type TestEngine } from "../../fixtures/handlers/test_engine.ts";

async function read(test: TestEngine, path: string) {
  const response = await test.send("GET", path);
  assertEquals(response.status, 200);
  // Any JSON: the test looks into it.
  return JSON.parse(await response.text());
}

Deno.test("GetInfo tells what the host measured, and leaves out what there is not", async () => {
  const registries = parseRegistriesConf(`unqualified-search-registries = ["quay.io"]
[[registry]]
location = "localhost:5000"
insecure = true
[[registry.mirror]]
location = "mirror.example"
`);
  await using test = await openTestEngine({ pulled: false, registries });
  const { host, store, registries: shown } = await read(test, "/libpod/info");
  assertEquals(host.cpuUtilization, { userPercent: 12.5, systemPercent: 2.5, idlePercent: 85 });
  assertEquals([store.graphRootAllocated, store.graphRootUsed], [1e12, 1e11]);
  assertEquals(host.networkBackendInfo.dns, {
    version: "1.4",
    package: "aardvark-dns",
    path: "/usr/lib/podman/aardvark-dns",
  });
  assertEquals([host.networkBackendInfo.defaultNetwork, host.buildahVersion], ["podman", ""]);
  assertEquals(host.pasta, { executable: "/usr/bin/pasta", package: "passt", version: "2025" });
  assertEquals(host.uptime, "25h 0m 0.00s (Approximately 1.04 days)");
  const status = {
    "Backing Filesystem": "ext4",
    "Supports d_type": "true",
    "Native Overlay Diff": "true",
    "Using metacopy": "false",
    "Supports volatile": "true",
  };
  assertEquals(store.graphStatus, status);
  assertEquals((await read(test, "/info")).DriverStatus, Object.entries(status));
  assertEquals("remoteSocket" in host, false, "nobody said where it is served");
  assertEquals(shown.search, ["quay.io"]);
  assertEquals(shown["localhost:5000"].Mirrors, [{ Location: "mirror.example", Insecure: false, PullFromMirror: "" }]);
  test.engine.serveAt("unix:///absent/gantry.sock");
  assertEquals((await read(test, "/libpod/info")).host.remoteSocket, {
    path: "unix:///absent/gantry.sock",
    exists: false,
  });
  test.engine.serveAt("tcp://127.0.0.1:8080");
  assertEquals((await read(test, "/libpod/info")).host.remoteSocket.exists, true);
});

Deno.test("formatUptime() counts whole hours, and days from the first one on", () => {
  assertEquals(formatUptime(59 * 60 + 59.9), "0h 59m 59.00s");
  assertEquals(formatUptime(9 * 3600 + 37 * 60 + 51), "9h 37m 51.00s (Approximately 0.38 days)");
});

Deno.test("GetInfo tells the version of conmon in one line", async () => {
  await using test = await openTestEngine({ pulled: false });
  assertEquals((await read(test, "/libpod/info")).host.conmon.version, "conmon version 2.1.6, commit: unknown");
});

Deno.test("CompatGetInfo tells the firewall from version 1.49 on, and forwarding as it is", async () => {
  await using test = await openTestEngine({ pulled: false });
  const newest = await read(test, "/v1.52/info");
  assertEquals([newest.FirewallBackend, newest.IPv4Forwarding, newest.Rootless], [{ Driver: "nftables" }, true, false]);
  assertEquals("FirewallBackend" in await read(test, "/v1.48/info"), false);
  assertEquals(newest.Swarm.LocalNodeState, "inactive");
});

Deno.test("Auth answers 401 in the native tree for a credential that the registry refuses", async () => {
  const net = {
    fetch: (request: Request) => {
      const isAnn = request.headers.get("authorization") === `Basic ${btoa("ann:pw")}`;
      const headers = { "WWW-Authenticate": 'Basic realm="here"' };
      return Promise.resolve(isAnn ? new Response("{}") : new Response("{}", { status: 401, headers }));
    },
  };
  await using test = await openTestEngine({ pulled: false, net });
  const auth = async (password: string) => {
    const response = await test.send("POST", "/libpod/auth", {
      username: "ann",
      password,
      serveraddress: "localhost:5000",
    });
    return [response.status, await response.text()] as const;
  };
  assertEquals(await auth("pw"), [200, '{"IdentityToken":"","Status":"Login Succeeded"}']);
  const [status, text] = await auth("wrong");
  assertEquals(status, 401);
  assertStringIncludes(text, "failed with status: 401 Unauthorized");
});
