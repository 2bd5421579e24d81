import { assertEquals } from "@std/assert";
import type { Subnet } from "../../../lib/engine/records/network_record.ts";
import { findSubnet, parseSubnet, subnetsOverlap } from "../../../lib/engine/text/ip.ts";
import { SubnetSet } from "../../../lib/engine/text/subnet_set.ts";

const pick = (most: number) => Math.floor(Math.random() * most);
const anyText = () => {
  const isOld = pick(3) > 0;
  const address = isOld
    ? `10.${pick(3)}.${pick(4)}.${pick(256)}`
    : `fd00:${pick(3)}:${pick(4)}::${pick(256).toString(16)}`;
  return pick(5) === 0 ? address : `${address}/${isOld ? 6 + pick(27) : 6 + pick(123)}`;
};
const textsOf = (subnets: Iterable<Subnet>) => [...subnets].map(({ first, prefix }) => `${first}/${prefix}`).sort();

Deno.test("SubnetSet answers as a look at each subnet does, while they come and go, some more than once", () => {
  const set = new SubnetSet();
  const added: string[] = [];
  for (let round = 0; round < 1500; round++) {
    if (added.length > 0 && pick(5) < 2) set.delete(added.splice(pick(added.length), 1)[0]);
    else {
      const text = added.length > 0 && pick(4) === 0 ? added[pick(added.length)] : anyText();
      set.add(text);
      added.push(text);
    }
    const asked = findSubnet(anyText())!;
    const all = [...new Set(added)].map((text) => findSubnet(text)!).filter((subnet) => subnetsOverlap(subnet, asked));
    const within = [...set.within(asked)];
    assertEquals(textsOf(within), textsOf(all), `${asked.first}/${asked.prefix} of ${added}`);
    assertEquals(within.every(({ first }, i) => i === 0 || within[i - 1].first <= first), true, "in order");
    assertEquals(set.overlaps(asked), all.length > 0);
  }
});

Deno.test("SubnetSet passes over what is no subnet, and what is taken from it without being there", () => {
  const set = new SubnetSet(["10.0.0.0/24", "nothing", "10.0.0.0/99", ""]);
  set.delete("nothing");
  set.delete("10.1.0.0/24");
  assertEquals([...set.within(parseSubnet("0.0.0.0/0"))].length, 1);
  set.delete("10.0.0.0/24");
  set.delete("10.0.0.0/24");
  assertEquals(set.overlaps(parseSubnet("0.0.0.0/0")), false);
  assertEquals(set.overlaps(parseSubnet("::/0")), false);
});
