import { assertEquals, assertMatch } from "@std/assert";
import type { NetworkRecord } from "../../../../../lib/engine/records/network_record.ts";
import { bridgeSteps, connectionOf } from "../../../../../lib/platform/linux/networks/links/connect_links.ts";
import { LinkHelper } from "../../../../../lib/platform/linux/networks/links/link_helper.ts";
import { runOk } from "../../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

/** Keeps a network namespace of its own; returns its path and how to let it go. */
async function keepNamespace(): Promise<{ path: string } & AsyncDisposable> {
  const keeper = new Deno.Command("unshare", { args: ["--net", "sleep", "1000"], stdin: "null" }).spawn();
  const path = `/proc/${keeper.pid}/ns/net`;
  const own = await Deno.readLink("/proc/self/ns/net");
  while (await Deno.readLink(path) === own) await new Promise((done) => setTimeout(done, 5));
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      keeper.kill("SIGKILL");
      await keeper.status;
    },
  };
}

const network: NetworkRecord = {
  id: "0".repeat(64),
  name: "lan",
  driver: "bridge",
  interface: "gx0",
  created: "2026-01-01T00:00:00Z",
  subnets: [{ subnet: "10.199.7.0/24", gateway: "10.199.7.1" }],
  ipv6: false,
  internal: false,
  dns: false,
  labels: {},
  options: {},
};

Deno.test({
  name:
    "connectionOf() gives the bridge's port no address, and lets the container answer by another link than it was asked by",
  ignore,
}, async () => {
  await using host = await keepNamespace();
  await using box = await keepNamespace();
  const helper = new LinkHelper(host.path);
  try {
    const attachment = { aliases: [], staticIPs: ["10.199.7.2"], interfaceName: "eth7" };
    const setup = { containerID: "a", containerName: "a", netns: box.path, attachments: [{ network, attachment }] };
    const { outer, steps } = connectionOf({ ...setup, ports: [] }, 0);
    await helper.run(...bridgeSteps(network, "02:00:00:00:00:01"), ...steps);
    const inHost = (...command: string[]) => runOk(["nsenter", `--net=${host.path}`, ...command]);
    const inBox = (...command: string[]) => runOk(["nsenter", `--net=${box.path}`, ...command]);
    // Addresses of IPv6 come with the carrier: the container's end has got its own by then, and so would the other one.
    let addresses = "";
    while (!addresses.includes("fe80::")) addresses = await inBox("ip", "-brief", "addr", "show", "eth7");
    assertMatch(addresses, /10\.199\.7\.2\/24/);
    assertMatch(await inHost("ip", "-brief", "link", "show", outer), /UP/);
    assertEquals(await inHost("ip", "-6", "addr", "show", outer), "");
    assertMatch(await inHost("ip", "-d", "link", "show", outer), /addrgenmode none/);
    assertEquals((await inBox("sysctl", "-n", "net.ipv4.conf.eth7.rp_filter")).trim(), "2");
  } finally {
    await helper.close();
  }
});
