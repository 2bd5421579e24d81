import { assert, assertEquals } from "@std/assert";
import { networkInterfaces } from "node:os";
import { findSubnet, formatAddress, parseAddress, subnetContains } from "../../../../lib/engine/text/ip.ts";
import { kernelSubnets, readMessages, subnetsIn } from "../../../../lib/platform/linux/networks/kernel_subnets.ts";
import {
  hostAddresses,
  hostSubnets,
  listedAddresses,
  listedInterfaces,
  listedRoutes,
  routeSubnet,
  subnetsOfTrie,
} from "../../../../lib/platform/linux/networks/host_subnets.ts";
import { runOk } from "../../../fixtures/run.ts";

const TRIE = `Id 200:
  +-- 0.0.0.0/0 3 0 5
     |-- 10.99.0.0
        /16 universe UNICAST
        /24 universe BLACKHOLE
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 192.168.7.0/24 2 0 2
        |-- 192.168.7.9
           /32 host LOCAL
`;

Deno.test("subnetsOfTrie() tells every route of every table but the default one", () => {
  assertEquals(subnetsOfTrie(TRIE), ["10.99.0.0/16", "10.99.0.0/24", "192.168.7.9/32"]);
  assertEquals(subnetsOfTrie("no trie\n   /24 at all"), []);
});

Deno.test("routeSubnet() reads a line of the kernel's IPv6 routes", () => {
  assertEquals(routeSubnet("fd000000000000000000000000000000 40 0000 00 x"), [
    "fd00:0000:0000:0000:0000:0000:0000:0000/64",
  ]);
  for (const line of ["", "00000000000000000000000000000000 00", "fd00 40", "zz 1"]) {
    assertEquals(routeSubnet(line), []);
  }
});

Deno.test("readMessages() stops where a length leads past the end, and at one that would go nowhere", () => {
  const message = (length: number, type: number) => {
    const bytes = new Uint8Array(16);
    new DataView(bytes.buffer).setUint32(0, length, true);
    new DataView(bytes.buffer).setUint16(4, type, true);
    return bytes;
  };
  const types = (...parts: Uint8Array[]) =>
    readMessages(Uint8Array.from(parts.flatMap((part) => [...part]))).map(({ type }) => type);
  assertEquals(types(message(16, 20), message(16, 3)), [20, 3]);
  assertEquals(types(message(16, 20), message(17, 3)), [20]);
  assertEquals(types(message(0, 20)), []);
  assertEquals(types(new Uint8Array(7)), []);
});

Deno.test("subnetsIn() reads addresses and routes, passes over other families, and takes no part for all", () => {
  const message = (type: number, body: readonly number[]) => {
    const bytes = new Uint8Array(16 + body.length);
    new DataView(bytes.buffer).setUint32(0, bytes.length, true);
    new DataView(bytes.buffer).setUint16(4, type, true);
    bytes.set(body, 16);
    return bytes;
  };
  const attribute = (kind: number, ...bytes: number[]) => [4 + bytes.length, 0, kind, 0, ...bytes];
  const route = (family: number, length: number, ...bytes: number[]) =>
    message(24, [family, length, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...bytes]);
  const address = message(20, [2, 24, 0, 0, 0, 0, 0, 0, ...attribute(1, 10, 1, 2, 9), ...attribute(2, 10, 1, 2, 3)]);
  const answers = [
    address,
    route(2, 16, ...attribute(1, 10, 7, 0, 0)),
    route(10, 48, ...attribute(1, 0xfd, 0x98, ...Array(14).fill(0))),
    // The default route, a label of MPLS, and a body that is cut short.
    route(2, 0),
    route(28, 20, ...attribute(1, 0, 1, 1, 0)),
    message(24, [2, 16]),
    message(3, [0, 0, 0, 0]),
  ];
  assertEquals(subnetsIn(answers), ["10.1.2.3/24", "10.7.0.0/16", "fd98:0:0:0:0:0:0:0/48"]);
  assertEquals(subnetsIn([...answers, message(2, [0xa1, 0xff, 0xff, 0xff])]), undefined);
});

Deno.test({
  name: "hostSubnets() holds every address of the host, that of an interface that is down too",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const name = "gantry-down";
    await runOk(["ip", "link", "add", name, "type", "bridge"]);
    try {
      await runOk(["ip", "address", "add", "10.99.7.1/24", "dev", name]);
      const found = (await hostSubnets()).flatMap((text) => findSubnet(text) ?? []);
      const own = Object.values(networkInterfaces()).flatMap((links) => (links ?? []).map(({ address }) => address));
      for (const address of [...own, "10.99.7.1"]) {
        const parsed = parseAddress(address.split("%")[0]);
        assert(found.some((subnet) => subnetContains(subnet, parsed)), address);
      }
    } finally {
      await runOk(["ip", "link", "delete", name]);
    }
  },
});

Deno.test({
  name:
    "kernelSubnets() tells what the kernel's files and iproute2 tell: addresses, and routes of every table and family",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const name = "gantry-routes";
    await runOk(["ip", "link", "add", name, "type", "bridge"]);
    try {
      await runOk(["ip", "address", "add", "10.99.9.1/24", "dev", name]);
      await runOk(["ip", "address", "add", "fd99:9::1/64", "dev", name]);
      await runOk(["ip", "link", "set", name, "up"]);
      await runOk(["ip", "route", "add", "10.98.0.0/16", "dev", name, "table", "7777"]);
      await runOk(["ip", "route", "add", "unreachable", "10.97.0.0/17"]);
      await runOk(["ip", "-6", "route", "add", "fd98::/48", "dev", name, "table", "7777"]);
      // Other tests make interfaces meanwhile.
      const ours = (subnets: readonly string[]) =>
        subnets.filter((subnet) => /^(10\.9[789]\.|fd9[89]:)/.test(subnet)).flatMap((subnet) =>
          findSubnet(subnet) ?? []
        )
          .map(({ first, prefix }) => `${first}/${prefix}`);
      const asked = new Set(ours(kernelSubnets() ?? []));
      assertEquals(asked, new Set(ours([...listedRoutes(), ...await listedAddresses()])));
      for (const subnet of ours(["10.98.0.0/16", "10.97.0.0/17", "fd98::/48", "fd99:9::/64", "10.99.9.1/32"])) {
        assert(asked.has(subnet), subnet);
      }
    } finally {
      await runOk(["ip", "route", "delete", "unreachable", "10.97.0.0/17"]);
      await runOk(["ip", "link", "delete", name]);
    }
  },
});

Deno.test({
  name: "hostAddresses() are those of the list of interfaces, but for those of a link",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const name = "gantry-own";
    await runOk(["ip", "link", "add", name, "type", "bridge"]);
    try {
      for (const address of ["10.99.8.1/24", "169.254.8.1/16", "fd99:8::1/64", "fe80::8/64"]) {
        await runOk(["ip", "address", "add", address, "dev", name, "nodad"]);
      }
      await runOk(["ip", "link", "set", name, "up"]);
      const ours = (addresses: readonly string[]) =>
        addresses.map(parseAddress).map(formatAddress).filter((text) =>
          /^(10\.99\.8\.|169\.254\.8\.|fd99:8:|fe80::8$)/.test(text)
        )
          .sort();
      assertEquals(ours(hostAddresses()), ["10.99.8.1", "169.254.8.1", "fd99:8::1"]);
      assertEquals(ours(listedInterfaces()), ours(hostAddresses()));
    } finally {
      await runOk(["ip", "link", "delete", name]);
    }
  },
});
