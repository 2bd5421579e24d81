import { assertEquals, assertThrows } from "@std/assert";
import { namespaceMode, parseNamespace } from "../../../../lib/engine/containers/request/namespace_mode.ts";
import { userNetworkOptions } from "../../../../lib/engine/containers/request/user_network_options.ts";
import { parseNetworks } from "../../../../lib/engine/kube/play/pod_network.ts";
import { parseNetwork } from "../../../../lib/engine/containers/request/namespace_mode.ts";

Deno.test("userNetworkOptions() reads pasta's options in each of their spellings", () => {
  const words = ["-I", "tap0", "-m1400", "--mtu", "1500", "--gateway=10.0.0.1", "-4", "--map-gw", "", "-t", "auto"];
  assertEquals(userNetworkOptions("pasta", words), [
    ...["--ns-ifname=tap0", "--mtu=1400", "--mtu=1500", "--gateway=10.0.0.1", "--ipv4-only", "--map-gw"],
    "--tcp-ports=auto",
  ]);
});

Deno.test("userNetworkOptions() reads slirp4netns's options", () => {
  const words = ["mtu=1400", "cidr=10.5.0.0/24", "allow_host_loopback=true", "outbound_addr=eth0", "enable_ipv6=false"];
  assertEquals(userNetworkOptions("slirp4netns", words), words);
});

Deno.test("userNetworkOptions() names the option that is unknown, lacks a value or has one that does not fit", () => {
  const rows: [program: "pasta" | "slirp4netns", words: string[], says: string][] = [
    ["pasta", ["--pcap", "/etc/cron.d/x"], 'unknown option "--pcap"'],
    ["pasta", ["--log-file=/x"], 'unknown option "--log-file=/x"'],
    ["pasta", ["-P", "/x"], 'unknown option "-P"'],
    ["pasta", ["--netns", "/proc/1/ns/net"], 'unknown option "--netns"'],
    ["pasta", ["--runas=0"], 'unknown option "--runas=0"'],
    ["pasta", ["tap0"], 'unknown option "tap0"'],
    ["pasta", ["--mtu"], 'option "--mtu" needs a value'],
    ["pasta", ["--no-tcp=1"], 'option "--no-tcp=1" takes no value'],
    ["pasta", ["-I", "a/b"], '"a/b" is no value of option "--ns-ifname"'],
    ["pasta", ["-m", "99999"], '"99999" is no value of option "--mtu"'],
    ["pasta", ["-t", "80 --pcap"], "is no value"],
    ["pasta", ["-g", "nowhere"], '"nowhere" is no value of option "--gateway"'],
    ["pasta", ["--__proto__=1"], "unknown option"],
    ["pasta", Array(65).fill("-4"), "more than 64 options"],
    ["pasta", ["-I", "x".repeat(300)], "more than 256 characters"],
    ["slirp4netns", ["api-socket=/x"], 'unknown option "api-socket=/x"'],
    ["slirp4netns", ["mtu"], 'option "mtu" needs a value'],
    ["slirp4netns", ["cidr=10.0.0.0/30"], '"10.0.0.0/30" is no value of option "cidr"'],
    ["slirp4netns", ["cidr=fd00::/64"], "is no value"],
    ["slirp4netns", ["enable_ipv6=yes"], '"yes" is no value of option "enable_ipv6"'],
    ["slirp4netns", ["port_handler=socat"], '"socat" is no value of option "port_handler"'],
    ["slirp4netns", ["constructor=1"], "unknown option"],
  ];
  for (const [program, words, says] of rows) assertThrows(() => userNetworkOptions(program, words), Error, says);
});

Deno.test("pasta and slirp4netns are read wherever a network is named", () => {
  const mode = { mode: "pasta" as const, options: ["--mtu=1400"] };
  assertEquals(namespaceMode("network", parseNamespace("pasta:-m,1400")), mode);
  assertEquals(namespaceMode("network", { mode: "pasta", value: "", options: ["-m", "1400"] }), mode);
  assertEquals(parseNetwork("pasta:-m,1400"), { mode, networks: [] });
  assertEquals(parseNetworks(["pasta:-m,1400"]), { namespaces: { network: mode }, networks: {} });
  assertEquals(parseNetworks(["slirp4netns"]), { namespaces: { network: { mode: "slirp4netns" } }, networks: {} });
  assertThrows(() => parseNetworks(["pasta", "lan"]), Error, "cannot set multiple networks");
  assertThrows(() => namespaceMode("pid", { mode: "pasta", value: "" }), Error, 'mode "pasta"');
});
