import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import {
  dependsOnVersion,
  requireKnown,
  type VersionedNetwork,
} from "../../../../../lib/platform/linux/networks/netavark/netavark_version.ts";

Deno.test("requireKnown() refuses by name what netavark would leave out without a word", () => {
  const rows: [Partial<VersionedNetwork>, old: string, fit: string, text: string][] = [
    [{ options: { vlan: "5" } }, "1.4.0", "1.14.0", "vlan needs netavark 1.14, this host has 1.4.0"],
    [{ options: { mode: "unmanaged" } }, "1.13.1", "2.0.0", "mode=unmanaged needs netavark 1.14"],
    [{ options: { isolate: "strict" } }, "1.6", "1.7", "isolate=strict needs netavark 1.7"],
    [{ driver: "macvlan", addressSource: "dhcp" }, "1.4.0", "1.6.0", "ipam driver dhcp needs netavark 1.6"],
    [{ driver: "ipvlan" }, "1.4.0", "1.5.0", "driver ipvlan needs netavark 1.5"],
  ];
  for (const [part, old, fit, text] of rows) {
    const network: VersionedNetwork = { driver: "bridge", options: {}, ...part };
    assertEquals(dependsOnVersion(network), true);
    assertEquals(assertThrows(() => requireKnown(network, old), EngineError, text).code, "unsupported");
    requireKnown(network, fit);
  }
  requireKnown({ driver: "bridge", options: { vlan: "0", isolate: "true", mtu: "9000", mode: "managed" } }, "1.4.0");
});

Deno.test("dependsOnVersion() is false for what every netavark knows, for which it is not run", () => {
  const options = { vlan: "0", isolate: "true", mtu: "9000", mode: "managed" };
  assertEquals(dependsOnVersion({ driver: "bridge", options }), false);
  assertEquals(dependsOnVersion({ driver: "macvlan", options: { parent: "eth0" } }), false);
});
