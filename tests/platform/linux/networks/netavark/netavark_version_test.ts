import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import {
  requireKnown,
  type VersionedNetwork,
} from "../../../../../lib/platform/linux/networks/netavark/netavark_version.ts";

Deno.test("requireKnown() refuses by name what netavark would leave out without a word", async () => {
  const rows: [Partial<VersionedNetwork>, old: string, fit: string, text: string][] = [
    [{ options: { vlan: "5" } }, "1.4.0", "1.14.0", "vlan needs netavark 1.14, this host has 1.4.0"],
    [{ options: { mode: "unmanaged" } }, "1.13.1", "2.0.0", "mode=unmanaged needs netavark 1.14"],
    [{ options: { isolate: "strict" } }, "1.6", "1.7", "isolate=strict needs netavark 1.7"],
    [{ driver: "macvlan", addressSource: "dhcp" }, "1.4.0", "1.6.0", "ipam driver dhcp needs netavark 1.6"],
    [{ driver: "ipvlan" }, "1.4.0", "1.5.0", "driver ipvlan needs netavark 1.5"],
  ];
  for (const [part, old, fit, text] of rows) {
    const network: VersionedNetwork = { driver: "bridge", options: {}, ...part };
    const refused = await assertRejects(() => requireKnown(network, () => Promise.resolve(old)), EngineError, text);
    assertEquals(refused.code, "unsupported");
    await requireKnown(network, () => Promise.resolve(fit));
  }
});

Deno.test("requireKnown() asks for no version where every netavark knows all of a network", async () => {
  const options = { vlan: "0", isolate: "true", mtu: "9000", mode: "managed" };
  const networks: VersionedNetwork[] = [{ driver: "bridge", options }, {
    driver: "macvlan",
    options: { parent: "eth0" },
  }];
  let asked = 0;
  for (const network of networks) await requireKnown(network, () => Promise.resolve(`0.${++asked}`));
  assertEquals(asked, 0);
});
