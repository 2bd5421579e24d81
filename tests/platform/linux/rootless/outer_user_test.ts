import { assertEquals } from "@std/assert";
import { isPartial, outerID } from "../../../../lib/platform/linux/rootless/outer_user.ts";

const WHOLE = "         0          0 4294967295\n";
const USERS = "         0       1001          1\n         1     100000      65536\n";

Deno.test("isPartial() tells the map of a user namespace from that of the machine", () => {
  assertEquals([WHOLE, USERS, "0 0 65536\n", ""].map(isPartial), [false, true, true, false]);
});

Deno.test("outerID() finds whom an ID of a user namespace stands for", () => {
  assertEquals([0, 1, 33, 65_536, 65_537].map((id) => outerID(id, USERS)), [1001, 100_000, 100_032, 165_535, 65_537]);
  assertEquals([0, 1001].map((id) => outerID(id, WHOLE)), [0, 1001]);
});
