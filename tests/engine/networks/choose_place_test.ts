import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { choosePlace } from "../../../lib/engine/networks/choose_place.ts";
import { SubnetSet } from "../../../lib/engine/text/subnet_set.ts";
import { formatAddress, parseSubnet, subnetsOverlap } from "../../../lib/engine/text/ip.ts";

const NONE = { interfaces: new Set<string>(), bridges: new Set<string>(), subnets: new SubnetSet() };
const random = (length: number) => new Uint8Array(length);

function chosenSubnet(used: string[], pools?: { base: string; size: number }[], prefix?: number): string {
  const taken = { interfaces: new Set<string>(), bridges: new Set<string>(), subnets: new SubnetSet(used) };
  return choosePlace({ subnets: [], versions: [4], pools, prefix }, taken, random).subnets[0].subnet;
}

Deno.test("choosePlace() takes the first subnet of the pools that nothing else has", () => {
  const pools = [{ base: "10.200.0.0/30", size: 30 }, { base: "10.201.0.0/16", size: 26 }];
  assertEquals(chosenSubnet([]), "10.87.0.0/24");
  assertEquals(chosenSubnet(["10.87.0.0/24", "10.87.1.128/25"]), "10.87.2.0/24");
  assertEquals(chosenSubnet([], pools), "10.200.0.0/30");
  assertEquals(chosenSubnet(["10.200.0.1"], pools), "10.201.0.0/26");
  assertEquals(chosenSubnet(["10.200.0.0/15"], [...pools, { base: "10.202.0.0/24", size: 24 }]), "10.202.0.0/24");
  assertEquals(chosenSubnet(["10.200.0.0/16", "10.201.0.64/26", "10.201.0.0/27"], pools), "10.201.0.128/26");
  assertEquals(chosenSubnet([], pools, 27), "10.201.0.0/27", "the first pool has no room for it");
  assertThrows(() => chosenSubnet(["10.0.0.0/8"], pools), Error, "every subnet is in use on this host");
});

Deno.test("choosePlace() passes over a pool of millions of subnets at once", () => {
  const pools = [{ base: "10.0.0.0/8", size: 30 }, { base: "192.168.0.0/24", size: 24 }];
  assertEquals(chosenSubnet(["10.0.0.0/8"], pools), "192.168.0.0/24");
  assertEquals(chosenSubnet(["10.0.0.0/9"], pools), "10.128.0.0/30");
});

Deno.test("choosePlace() names a bridge beside thousands of others, after the first number that is free where there are few", () => {
  const nameBeside = (count: number) => {
    const bridges = new Set(Array.from({ length: count }, (_, i) => `gantry${i}`));
    let calls = 0;
    const bytes = (length: number) => Uint8Array.from({ length }, () => calls++ * 37);
    const place = choosePlace({ subnets: [], versions: [] }, { ...NONE, bridges }, bytes);
    assertEquals(bridges.has(place.interface), false);
    return place.interface;
  };
  assertEquals([nameBeside(0), nameBeside(300)], ["gantry0", "gantry300"]);
  assertMatch(nameBeside(10_000), /^gantry\d{1,8}$/);
});

Deno.test("choosePlace() chooses among hundreds of subnets what a look at each of them gives", () => {
  const pool = "10.200.0.0/20";
  for (let round = 0; round < 300; round++) {
    const bits = 22 + Math.floor(Math.random() * 9);
    const used = Array.from({ length: Math.floor(Math.random() * 400) }, () => {
      const prefix = 21 + Math.floor(Math.random() * 12);
      return `10.${Math.random() < 0.1 ? 199 : 200}.${Math.floor(Math.random() * 16)}.${
        Math.floor(Math.random() * 256)
      }/${prefix}`;
    });
    const parsed = used.map(parseSubnet);
    const all = Array.from({ length: 2 ** (bits - 20) }, (_, i) => {
      const value = parseSubnet(pool).first + BigInt(i * 2 ** (32 - bits));
      return `${formatAddress({ version: 4, value })}/${bits}`;
    });
    const free = all.find((text) => !parsed.some((other) => subnetsOverlap(other, parseSubnet(text))));
    const choose = () => chosenSubnet(used, [{ base: pool, size: bits }]);
    if (free === undefined) assertThrows(choose, Error, "every subnet is in use on this host");
    else assertEquals(choose(), free, `${bits} of ${used}`);
  }
});
