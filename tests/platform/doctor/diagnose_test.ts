import { assert, assertEquals } from "@std/assert";
import { diagnoseHost, familyOf } from "../../../lib/platform/doctor/diagnose.ts";
import { type HostCheck, nameRuntime } from "../../../lib/platform/doctor/host_check.ts";
import { parseOSRelease } from "../../../lib/platform/linux/os_release.ts";
import { NEEDS } from "../../../lib/platform/doctor/needs.ts";
import { netavarkAt } from "../../../lib/platform/linux/networks/netavark/netavark.ts";
import { describeCommands } from "../../../scripts/setup.ts";
import { doctorCommand } from "../../../lib/platform/entries/doctor_command.ts";

/** A machine that has everything, but for what a test says. */
function fakeHost(facts: Partial<HostCheck> = {}, ...missing: string[]): HostCheck {
  return {
    os: "linux",
    arch: "x64",
    kernel: "6.1.0",
    distribution: { id: "debian", like: "", name: "Debian GNU/Linux 12 (bookworm)" },
    runtime: "Deno 2.9.6",
    found: new Set(NEEDS.map(({ probe }) => probe).filter((probe) => !missing.includes(probe))),
    hasOverlay: true,
    hasSQLite: true,
    cgroups: "unified",
    space: { folder: "/var/lib/gantry", free: 2 ** 36 },
    ...facts,
  };
}

/** The text of each finding of a state. */
function textsOf(host: HostCheck, state: string): string[] {
  return diagnoseHost(host).findings.filter((finding) => finding.state === state).map(({ text }) => text);
}

Deno.test("diagnoseHost() finds that a whole host works, and installs nothing", () => {
  const { findings, install, runs } = diagnoseHost(fakeHost());
  assertEquals([findings.every(({ state }) => state === "works"), install, runs], [true, [], true]);
  assertEquals(findings[0].text, "containers");
});

Deno.test("diagnoseHost() tells an ordinary user what goes without control groups and root", () => {
  const host = fakeHost({ withoutLimits: true });
  assertEquals([diagnoseHost(host).runs, diagnoseHost(host).install], [true, []]);
  assertEquals(textsOf(host, "lacks"), [
    "limits of containers, pause and stats: an ordinary user's server gets no control groups",
    "checkpoints: criu needs root",
  ]);
  assert(!textsOf(host, "works").includes("checkpoints"));
  assert(textsOf(fakeHost(), "works").includes("checkpoints"));
});

Deno.test("diagnoseHost() does not take a CRIU that does not work for one that does", () => {
  const host = fakeHost({ brokenCRIU: "the kernel is too new" });
  assertEquals(textsOf(host, "lacks"), ["checkpoints: the kernel is too new"]);
  assert(!textsOf(host, "works").includes("checkpoints"));
});

Deno.test("diagnoseHost() knows a closed device and a runtime without a database", () => {
  const closed = fakeHost({ closedTun: true });
  const why = "the way out of networks of ordinary users: this user may not use /dev/net/tun; root can chmod it to 666";
  assertEquals([textsOf(closed, "lacks"), diagnoseHost(closed).runs], [[why], true]);
  assert(textsOf(fakeHost(), "works").includes("the way out of networks of ordinary users"));
  assert(!textsOf(closed, "works").includes("the way out of networks of ordinary users"));
  const old = fakeHost({ hasSQLite: false, runtime: "Node 20.20.2" });
  const fails = ["the server: Node 20.20.2 has no SQLite; use Node 24 or Deno"];
  assertEquals([textsOf(old, "fails"), diagnoseHost(old).runs], [fails, false]);
});

Deno.test("diagnoseHost() says that containers run without what only others need, and what to install by distribution", () => {
  const missing = ["criu", "nft", "/usr/share/containers/seccomp.json", "ip"];
  const host = fakeHost({}, ...missing);
  assertEquals([diagnoseHost(host).runs, textsOf(host, "fails"), textsOf(host, "lacks").length], [true, [], 4]);
  assert(textsOf(host, "lacks").includes("checkpoints: criu is missing"));
  const commandOn = (id: string, like = "") =>
    diagnoseHost({ ...host, distribution: { id, like, name: "" } }).install.join("\n");
  assertEquals(commandOn("debian"), "apt-get install nftables iproute2 criu golang-github-containers-common");
  assertEquals(commandOn("linuxmint", "ubuntu debian"), commandOn("debian"));
  assertEquals(commandOn("fedora"), "dnf install nftables iproute criu containers-common");
  assertEquals(commandOn("rocky", "rhel centos fedora"), commandOn("fedora"));
  assertEquals(commandOn("alpine"), "apk add nftables iproute2 criu containers-common");
  assertEquals(commandOn("arch"), "pacman -S nftables iproute2 criu containers-common");
  assertEquals(commandOn("plan9").split("\n").length, 4);
});

Deno.test("diagnoseHost() takes one runtime for enough, and names one where there is none", () => {
  assertEquals([diagnoseHost(fakeHost({}, "crun")).runs, diagnoseHost(fakeHost({}, "crun")).install], [true, []]);
  const none = diagnoseHost(fakeHost({}, "crun", "runc"));
  assertEquals([none.runs, none.install], [false, ["apt-get install crun"]]);
});

Deno.test("diagnoseHost() says why containers cannot run", () => {
  const hosts: [HostCheck, RegExp][] = [
    [fakeHost({ os: "darwin", cgroups: "none" }), /they need Linux, and this is darwin/],
    [fakeHost({ trial: "Open host: containers need root here" }), /need root/],
    [fakeHost({ cgroups: "none" }), /no cgroup hierarchy/],
    [fakeHost({}, "conmon"), /conmon is missing/],
    [fakeHost({}, "perl"), /perl is missing/],
    [fakeHost({ trial: 'Open nursery: no "pids" controller' }), /no "pids" controller/],
  ];
  for (const [host, why] of hosts) {
    assertEquals(diagnoseHost(host).runs, false);
    assert(textsOf(host, "fails").some((text) => why.test(text)), `${why}: ${textsOf(host, "fails")}`);
    assertEquals(textsOf(host, "works").includes("containers"), false);
  }
});

Deno.test("diagnoseHost() warns of little space, and of a kernel without overlay", () => {
  const host = fakeHost({ space: { folder: "/var", free: 100 * 2 ** 20 }, hasOverlay: false });
  const lacks = textsOf(host, "lacks");
  assertEquals([diagnoseHost(host).runs, lacks.length], [true, 2]);
  assert(lacks.includes("space: 100 MiB are free for images and containers in /var"));
});

Deno.test("doctorCommand() exits with 1 where containers cannot run, and prints what to do", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  assertEquals(await doctorCommand(() => Promise.resolve(fakeHost()), print), 0);
  assertEquals(lines.at(-1), "Containers can run here: gantry serve");
  lines.length = 0;
  assertEquals(await doctorCommand(() => Promise.resolve(fakeHost({}, "conmon")), print), 1);
  assert(/^gantry \d+\.\d+\.\d+ on Debian GNU\/Linux 12 \(bookworm\), kernel 6\.1\.0/.test(lines[0]));
  assert(lines.includes("fails  containers: conmon is missing"));
  assert(lines.includes("  apt-get install conmon"));
});

Deno.test("parseOSRelease(), familyOf() and nameRuntime() read what systems say of themselves", () => {
  const ubuntu = parseOSRelease('ID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 24.04 LTS"\nVERSION_ID="24.04"\n');
  assertEquals(ubuntu, { id: "ubuntu", like: "debian", name: "Ubuntu 24.04 LTS", version: "24.04", codename: "" });
  assertEquals([familyOf(ubuntu), familyOf(parseOSRelease(""))], ["debian", undefined]);
  assertEquals([nameRuntime({ node: "24.3.0" }), nameRuntime({ node: "24", deno: "2.9.6" })], [
    "Node 24.3.0",
    "Deno 2.9.6",
  ]);
});

Deno.test("setup names what it would install where there is no apt, by each distribution's own names", () => {
  const has = (...missing: string[]) =>
    new Set(NEEDS.map(({ probe }) => probe).filter((probe) => !missing.includes(probe)));
  const rows: [release: string, command: string][] = [
    ["ID=fedora", "dnf install conmon iptables-nft iproute"],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"', "dnf install conmon iptables-nft iproute"],
    ["ID=ubuntu\nID_LIKE=debian", "apt-get install conmon iptables iproute2"],
    ["ID=alpine", "apk add conmon iptables iproute2"],
    ["ID=arch", "pacman -S conmon iptables iproute2"],
  ];
  for (const [release, command] of rows) {
    const lines = describeCommands(`${release}\n`, has("conmon", "iptables", "ip", "runc"));
    assertEquals(lines, [`setup: containers would need: ${command}`]);
  }
  assertEquals(describeCommands("ID=other\n", has("conmon")).length, 4, "each family, where none is known");
  assertEquals(describeCommands("ID=fedora\n", has()), []);
});

Deno.test("netavarkAt() looks where each distribution puts helpers", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/libexec`);
  await Deno.writeTextFile(`${folder}/libexec/netavark`, "");
  const places = [`${folder}/lib`, `${folder}/libexec`];
  assertEquals(netavarkAt("/c", places).aardvark, `${folder}/libexec/aardvark-dns`);
  assertEquals(netavarkAt("/c", [places[0]!]).program, `${folder}/lib/netavark`);
  await Deno.remove(folder, { recursive: true });
});
