import { assertEquals, assertNotEquals } from "@std/assert";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressAt, overlap, parseSubnet } from "../../../lib/platform/linux/cidr.ts";
import { Subnets } from "../../../lib/platform/linux/subnets.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

Deno.test(
  { name: "Subnets.propose() gives servers with different roots different bridges and subnets", ignore },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-subnets-"));
    try {
      const roots = ["one", "two", "three"].map((name) => join(folder, name));
      for (const root of roots) await mkdir(root);
      const shared = join(folder, "shared");
      const servers = roots.map((root) => new Subnets(root, shared));
      const proposals = await Promise.all(servers.flatMap((server) => [server.propose([]), server.propose([])]));
      assertEquals(new Set(proposals.map((proposal) => proposal.interface)).size, 6);
      for (const [index, { subnet, gateway }] of proposals.entries()) {
        assertEquals(gateway, addressAt(parseSubnet(subnet)!, 1));
        assertEquals(overlap(parseSubnet(subnet)!, parseSubnet("10.88.0.0/16")!), false);
        for (const other of proposals.slice(index + 1)) {
          assertEquals(overlap(parseSubnet(subnet)!, parseSubnet(other.subnet)!), false);
        }
      }
      // What an earlier process of the root never recorded is free again, and so is what a root that is gone had.
      await rm(roots[0]!, { recursive: true });
      const again = new Subnets(roots[1]!, shared);
      assertNotEquals((await again.propose([])).interface, "");
      assertEquals((await readdir(shared)).length, 3);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

Deno.test("overlap() compares subnets of both families", () => {
  const same = (a: string, b: string) => overlap(parseSubnet(a)!, parseSubnet(b)!);
  assertEquals(same("10.0.0.0/8", "10.200.3.4"), true);
  assertEquals(same("10.0.0.0/24", "10.0.1.0/24"), false);
  assertEquals(same("fd00::/8", "fd12:3456::1/64"), true);
  assertEquals(same("::/0", "10.0.0.0/8"), false);
  assertEquals(addressAt(parseSubnet("fd00:1::/64")!, -2), "fd00:1::ffff:ffff:ffff:fffe");
  assertEquals(parseSubnet("10.0.0.0/33"), undefined);
  assertEquals(parseSubnet("example"), undefined);
});
