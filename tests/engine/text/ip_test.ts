import { assertEquals, assertThrows } from "@std/assert";
import { AddressPool } from "../../../lib/engine/networks/address_pool.ts";
import {
  addressAt,
  findSubnet,
  formatAddress,
  parseAddress,
  parseSubnet,
  subnetContains,
  subnetsOverlap,
} from "../../../lib/engine/text/ip.ts";

Deno.test("parseAddress() and formatAddress() are each other's inverse in canonical form", () => {
  const rows = [
    ["10.88.0.1", "10.88.0.1"],
    ["255.255.255.255", "255.255.255.255"],
    ["::", "::"],
    ["::1", "::1"],
    ["fd00:0:0:0:0:0:0:1", "fd00::1"],
    ["2001:DB8::8:800:200c:417a", "2001:db8::8:800:200c:417a"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"],
    ["::ffff:1.2.3.4", "::ffff:102:304"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ];
  for (const [text, canonical] of rows) assertEquals(formatAddress(parseAddress(text)), canonical);
  for (
    const bad of [
      "",
      "1.2.3",
      "1.2.3.256",
      "01.2.3.4",
      "1.2.3.4.5",
      "::1::",
      ":::",
      "12345::",
      "1:2:3:4:5:6:7",
      "g::",
      "::1.2.3",
      "1.2.3.4::",
    ]
  ) {
    assertThrows(() => parseAddress(bad), SyntaxError);
  }
});

Deno.test("parseSubnet() drops host bits and knows its members", () => {
  const subnet = parseSubnet("10.88.3.9/16");
  assertEquals([formatAddress({ version: 4, value: subnet.first }), subnet.size], ["10.88.0.0", 65536n]);
  const inside = ["10.88.0.0", "10.88.255.255", "10.89.0.0", "::1"].map((text) =>
    subnetContains(subnet, parseAddress(text))
  );
  assertEquals(inside, [true, true, false, false]);
  for (const bad of ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/x", "fd00::/129", "10.0.0.0/8/8"]) {
    assertThrows(() => parseSubnet(bad), SyntaxError);
  }
});

Deno.test("findSubnet() takes what programs of the host print, single addresses too, and nothing else", () => {
  const first = (text: string) => {
    const subnet = findSubnet(text);
    return subnet && `${addressAt(subnet, 0)}/${subnet.prefix}`;
  };
  const texts = ["10.88.3.9/16", "10.88.0.1", "::ffff:1.2.3.4/96", "fe80::1", "default", "10.0.0.0/33", "unix"];
  assertEquals(texts.map(first), [
    "10.88.0.0/16",
    "10.88.0.1/32",
    "::ffff:0:0/96",
    "fe80::1/128",
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("subnetsOverlap() and addressAt() know a subnet's borders", () => {
  const shares = (a: string, b: string) => subnetsOverlap(parseSubnet(a), parseSubnet(b));
  assertEquals(shares("10.0.0.0/8", "10.255.0.0/16"), true);
  assertEquals(shares("10.1.0.0/16", "10.2.0.0/16"), false);
  assertEquals(shares("0.0.0.0/0", "::/0"), false);
  assertEquals([0, 1, -1, -2].map((offset) => addressAt(parseSubnet("10.88.0.0/24"), offset)), [
    "10.88.0.0",
    "10.88.0.1",
    "10.88.0.255",
    "10.88.0.254",
  ]);
});

Deno.test("AddressPool.take() goes round, leaves out what is reserved, and ends", () => {
  const pool = new AddressPool({ subnet: "192.168.7.0/29", gateway: "192.168.7.1" });
  const taken = ["a", "b", "c", "d", "e"].map((owner) => pool.take(owner));
  assertEquals(taken, ["192.168.7.2", "192.168.7.3", "192.168.7.4", "192.168.7.5", "192.168.7.6"]);
  assertThrows(() => pool.take("f"), Error, "failed to find free IP in range");
  pool.release("b");
  assertEquals(pool.take("f"), "192.168.7.3");
});

Deno.test("AddressPool.take() of a full IPv6 subnet's worth of containers stays quick", () => {
  const pool = new AddressPool({ subnet: "fd00:1::/64", gateway: "fd00:1::1" });
  assertEquals(pool.take("a"), "fd00:1::2");
  for (let i = 0; i < 5000; i++) pool.take(`c${i}`);
  assertEquals(pool.take("z"), "fd00:1::138b");
});

Deno.test("AddressPool.claim() and prefer() keep what is somebody's", () => {
  const pool = new AddressPool({ subnet: "10.0.0.0/24", gateway: "10.0.0.1" });
  assertEquals(pool.claim("a", "10.0.0.9"), "10.0.0.9");
  assertEquals(pool.claim("a", "10.0.0.9"), "10.0.0.9");
  assertThrows(() => pool.claim("b", "10.0.0.9"), Error, "already allocated to container ID a");
  assertThrows(() => pool.claim("b", "10.0.0.1"), Error, "reserved");
  assertEquals(pool.prefer("b", "10.0.0.9"), "10.0.0.2");
  assertEquals(pool.prefer("c", "10.0.0.77"), "10.0.0.77");
  assertEquals(pool.prefer("d", "172.16.0.1"), "10.0.0.3");
});
