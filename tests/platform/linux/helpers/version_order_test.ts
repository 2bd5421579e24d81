import { assertEquals } from "@std/assert";
import { isOlder, kernelOlderThan } from "../../../../lib/platform/linux/helpers/version_order.ts";

Deno.test("isOlder() compares numbers, as many as the least version has", () => {
  for (
    const [version, least] of [["1.4.0", "1.14"], ["5.9", "5.10"], ["1", "1.1"], ["0", "1.5"], [
      "4.18.0-553.el8",
      "5.10",
    ]]
  ) {
    assertEquals(isOlder(version, least), true, `${version} ${least}`);
  }
  for (
    const [version, least] of [["1.14.1", "1.14"], ["5.14.0-427.el9", "5.14"], ["6.1-rc3", "6.1"], ["2", "1.9"], [
      "10.0",
      "9.9",
    ]]
  ) {
    assertEquals(isOlder(version, least), false, `${version} ${least}`);
  }
});

Deno.test("kernelOlderThan() compares this machine's kernel, or the one that is given", () => {
  assertEquals([kernelOlderThan("2.6"), kernelOlderThan("9999.0")], [false, true]);
  assertEquals([kernelOlderThan("5.10", "5.9.16-arch1"), kernelOlderThan("5.10", "5.10.0-30-amd64")], [true, false]);
});
