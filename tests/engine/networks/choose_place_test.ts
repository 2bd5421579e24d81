import { assertEquals, assertThrows } from "@std/assert";
import { choosePlace } from "../../../lib/engine/networks/choose_place.ts";

const random = (length: number) => new Uint8Array(length);

function chosenSubnet(used: string[], pools?: { base: string; size: number }[], prefix?: number): string {
  const taken = { interfaces: new Set<string>(), bridges: new Set<string>(), subnets: used };
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
