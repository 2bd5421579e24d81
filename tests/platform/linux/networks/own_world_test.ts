import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;
const WORLD = fileURLToPath(new URL("../../../fixtures/platform/own_world.ts", import.meta.url));
const ANSWER = "answer from 80";

/** The namespace's own interfaces in /sys, with the machine's cgroups, and notes of bridges that are nobody else's. */
const SETUP = [
  "mount -t sysfs sysfs /mnt",
  "mount --rbind /sys/fs/cgroup /mnt/fs/cgroup",
  "mount --rbind /mnt /sys",
  "mkdir -p /var/lib/gantry-networks",
  "mount -t tmpfs shared /var/lib/gantry-networks",
  'exec "$@"',
].join(" && ");

Deno.test({
  name: "Networks in a namespace of their own: IPv6, forwarding, ranges, SCTP, routes, macvlan, and what cannot be had",
  ignore,
}, async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-world-" });
  const deno = [Deno.execPath(), "run", "-A", "--no-check", "--quiet", WORLD, root];
  const { stdout, stderr } = await new Deno.Command("unshare", {
    args: ["--net", "--mount", "sh", "-c", SETUP, "sh", ...deno],
    stderr: "piped",
  }).output();
  await Deno.remove(root, { recursive: true });
  const text = new TextDecoder();
  const line = text.decode(stdout).trim();
  assert(line.startsWith("{") && line !== "{}", `the world ended early: ${line} ${text.decode(stderr)}`);
  const { manyMilliseconds, dhcp, ipvlan, ...found } = JSON.parse(line);
  assertEquals(found, {
    forwarding: "1",
    publishedIPv6: ANSWER,
    publishedIPv4: ANSWER,
    ownAddress: ANSWER,
    otherAddress: "",
    range: [ANSWER, ""],
    routes: [
      "10.70.0.0/24 dev eth0 proto kernel scope link src 10.70.0.2 ",
      "203.0.113.0/24 via 10.70.0.9 dev eth0 proto static metric 7",
      "blackhole 192.0.2.0/24 proto static metric 100 ",
      "default via 10.70.0.1 dev eth0 proto static metric 100 ",
    ],
    routes6: true,
    rules: true,
    noDefaultRoute: "10.71.0.0/24 dev eth0 proto kernel scope link src 10.71.0.2",
    macvlan: ANSWER,
    macvlanLeft: false,
    parent: "parent interface absent0 does not exist",
    noBridge: "interface wire0 of this host is no bridge",
    wireStays: true,
    replaced: [ANSWER, ""],
    left: false,
  });
  assert(manyMilliseconds < 5000, `32 ports took ${manyMilliseconds} ms`);
  // These depend on netavark's version and on the kernel: where one is not to be had, its name is in the error.
  assert(dhcp === "connected" || /dhcp/.test(dhcp), dhcp);
  assert(ipvlan === "connected" || /ipvlan/i.test(ipvlan), ipvlan);
});
