import { assertEquals, assertThrows } from "@std/assert";
import { parseInterfaceSetting } from "../../../lib/engine/text/interface_setting.ts";

Deno.test("parseInterfaceSetting() takes settings of IFNAME only, and nothing that would lead out of /proc/sys/net", () => {
  const marked = { before: ["net", "ipv4", "conf"], name: "log_martians", value: "1" };
  assertEquals(parseInterfaceSetting("net.ipv4.conf.IFNAME.log_martians=1"), marked);
  assertEquals(parseInterfaceSetting("net.ipv4.conf.ifname.log_martians=1"), marked);
  assertEquals(parseInterfaceSetting("net.ipv6.conf.IFNAME.stable_secret=2001:db8::1").value, "2001:db8::1");
  const refused = [
    ...["net.ipv4.conf.eth0.log_martians=1", "net.ipv4.conf.all.log_martians=1", "net.ipv4.ip_forward=1", "", "=", ","],
    ...[
      "kernel.x.conf.IFNAME.y=1",
      "kernel.ipv4.conf.IFNAME.y=1",
      "net.unix.conf.IFNAME.x=1",
      "net.ipv4.conf.IFNAME=1",
    ],
    ...[
      "net.ipv4.conf.IFNAME.a/../../../../kernel/core_pattern=1",
      "net.ipv4.co/nf.IFNAME.x=1",
      "net.ipv4..IFNAME.x=1",
    ],
    ...["net.ipv4.conf.IFNAME.a.b=1", "net.ipv4.conf.IFNAME.a\0=1", "net.ipv4.conf.IFNAME.\n=1", "net.ipv4...=1"],
  ];
  for (const text of refused) {
    assertThrows(() => parseInterfaceSetting(text), SyntaxError, `unrecognised network interface sysctl '${text}'`);
  }
  for (const value of ["", "=", " 1", "1\n", "1\0", "é", "1".repeat(257)]) {
    const text = `net.ipv4.conf.IFNAME.x${value === "" ? "" : `=${value === "=" ? "" : value}`}`;
    assertThrows(() => parseInterfaceSetting(text), SyntaxError, "to have format name=value");
  }
});
