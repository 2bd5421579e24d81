import { assertEquals } from "@std/assert";
import { isDeviceKind, isDeviceName, isPlainDeviceName } from "../../../lib/engine/text/device_names.ts";

Deno.test("isDeviceName() tells devices of vendors from paths", () => {
  for (const text of ["vendor.com/class=name", "v/c=0", "nvidia.com/gpu=GPU-1:0", "a-b.c/d_e=x.y"]) {
    assertEquals(isDeviceName(text), true, text);
  }
  for (
    const text of [
      "/dev/null",
      "vendor.com/class",
      "/vendor/class=x",
      "vendor/class=",
      "1v/c=n",
      "v/c=n-",
      "v/c=a/b",
      "v/c=n:r\n",
    ]
  ) {
    assertEquals(isDeviceName(text), false, text);
  }
  assertEquals([isDeviceKind("vendor.com/gpu"), isDeviceKind("gpu")], [true, false]);
  assertEquals([isPlainDeviceName("all"), isPlainDeviceName("-")], [true, false]);
});
