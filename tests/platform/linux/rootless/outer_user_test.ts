import { assertEquals } from "@std/assert";
import { isPartial, outerID } from "../../../../lib/platform/linux/rootless/outer_user.ts";
import { splitMappings } from "../../../../lib/platform/linux/rootless/server_user.ts";

const WHOLE = "         0          0 4294967295\n";
const USERS = "         0       1001          1\n         1     100000      65536\n";

Deno.test("isPartial() tells the map of a user namespace from that of the machine", () => {
  assertEquals([WHOLE, USERS, "0 0 65536\n", ""].map(isPartial), [false, true, true, false]);
});

Deno.test("outerID() finds whom an ID of a user namespace stands for", () => {
  assertEquals([0, 1, 33, 65_536, 65_537].map((id) => outerID(id, USERS)), [1001, 100_000, 100_032, 165_535, 65_537]);
  assertEquals([0, 1001].map((id) => outerID(id, WHOLE)), [0, 1001]);
});

Deno.test("splitMappings() cuts mappings where the server's own map has another line", () => {
  const split = (container: number, host: number, size: number) =>
    splitMappings([{ container, host, size }], USERS).map(({ container, host, size }) => [container, host, size]);
  assertEquals(split(0, 0, 100), [[0, 0, 1], [1, 1, 99]]);
  assertEquals(split(7, 5, 100), [[7, 5, 100]]);
  assertEquals(split(0, 65_500, 100), [[0, 65_500, 37], [37, 65_537, 63]]);
  assertEquals(splitMappings([{ container: 0, host: 0, size: 9 }], WHOLE), [{ container: 0, host: 0, size: 9 }]);
});
