/** The Debian package: what dpkg says of it, installed below a root of its own, and run from there. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { buildDeb } from "../../scripts/deb.ts";
import { NEEDS } from "../../lib/platform/doctor/needs.ts";
import { fetchOver } from "../conformance/fetch_over.ts";
import { packagedProgram } from "../fixtures/platform/test_cache.ts";
import { ok, run, runOk } from "../fixtures/run.ts";

Deno.test("task deb makes a package that dpkg installs and removes, and that runs where it lies", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-deb-" });
  const program = await packagedProgram();
  const file = await buildDeb({ folder, program, fast: true });
  const field = async (name: string) => (await runOk(["dpkg-deb", "--field", file, name])).trim();

  await t.step("control names what containers need, as gantry doctor does", async () => {
    assertEquals(await field("Package"), "gantry");
    const depends = await field("Depends");
    for (const name of ["crun | runc", "conmon", "netavark", "aardvark-dns", "nftables", "iproute2"]) {
      assertMatch(depends, new RegExp(`(^|, )${name.replace("|", "\\|")}(,|$)`));
    }
    const all = `${depends}, ${await field("Recommends")}`;
    const wanted = NEEDS.map(({ packages }) => packages.debian);
    const named = new Set(all.split(/[,|]/).map((name) => name.trim().split(" ")[0]));
    assertEquals(
      wanted.filter((name) => !named.has(name)),
      ["tar", "util-linux", "perl-base"],
      "every Debian has these",
    );
  });
  const root = `${folder}/root`;
  const dpkg = (...args: string[]) =>
    // Its programs are not there, and its scripts touch nothing but this root.
    run(["dpkg", `--root=${root}`, "--force-script-chrootless", "--force-depends", "--force-architecture", ...args]);
  for (const path of ["var/lib/dpkg/updates", "var/lib/dpkg/info", "etc/systemd/system"]) {
    await Deno.mkdir(`${root}/${path}`, { recursive: true });
  }
  await Deno.writeTextFile(`${root}/var/lib/dpkg/status`, "");
  ok(await dpkg("--install", file), "install");
  const gantry = [`${root}/usr/bin/gantry`];

  await t.step("units of the system are enabled, and start the program where it will lie", async () => {
    const enabled = `${root}/etc/systemd/system/multi-user.target.wants/gantry.service`;
    assertEquals(await Deno.readLink(enabled), "/usr/lib/systemd/system/gantry.service");
    const units = `${root}/usr/lib/systemd`;
    const service = await Deno.readTextFile(`${units}/system/gantry.service`);
    assertStringIncludes(service, "\nExecStart=/usr/bin/gantry serve --no-setup --listen fd://\n");
    assertStringIncludes(
      await Deno.readTextFile(`${units}/user/gantry.socket`),
      "\nListenStream=%t/gantry/gantry.sock\n",
    );
    const said = await run(["systemd-analyze", "verify", `--root=${root}`, "gantry.socket"]);
    assert(!/gantry\.(socket|service):\d+:/.test(said.stderr), said.stderr);
  });
  await t.step("the page for man has no fault, and every command", async () => {
    const page = `${root}/usr/share/man/man1/gantry.1.gz`;
    const { stdout, stderr } = await run(["man", "--warnings", "--local-file", page], { env: { MANPAGER: "col -b" } });
    assertEquals(stderr, "");
    for (const text of ["gantry serve", "--listen ADDRESS", "gantry gateway", "gantry doctor"]) {
      assertStringIncludes(stdout.replaceAll(/[‐−]/g, "-"), text);
    }
  });
  await t.step("version and doctor, from an empty home", async () => {
    const env = { HOME: `${folder}/home` };
    assertMatch(ok(await run([...gantry, "version"], { env })), /^gantry {3}\d+\.\d+\.\d+/);
    const { stdout, stderr } = await run([...gantry, "doctor"], { env });
    assertMatch(stdout, /^gantry \d.*kernel/, stderr);
  });
  await t.step("serve answers", async () => {
    const address = `unix://${folder}/gantry.sock`;
    const places = [`--root=${folder}/data`, `--runroot=${folder}/run`, "--no-setup"];
    const child = new Deno.Command(gantry[0], {
      args: ["serve", `--listen=${address}`, ...places],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = child.stdout.getReader();
    assertMatch(new TextDecoder().decode((await lines.read()).value), /^gantry: ready on /);
    assertEquals((await fetchOver(address, "GET", "/v1.41/info")).status, 200);
    child.kill("SIGTERM");
    await lines.cancel();
    assertEquals((await child.status).code, 0);
  });
  await t.step("removed, data and settings stay; purged, they go", async () => {
    await Deno.mkdir(`${root}/var/lib/gantry/blobs`, { recursive: true });
    const isThere = (path: string) => Deno.lstat(root + path).then(() => true, () => false);
    ok(await dpkg("--remove", "gantry"), "remove");
    const paths = ["/usr/bin/gantry", "/var/lib/gantry/blobs", "/etc/default/gantry"];
    assertEquals(await Promise.all(paths.map(isThere)), [false, true, true]);
    ok(await dpkg("--purge", "gantry"), "purge");
    assertEquals(await Promise.all(paths.map(isThere)), [false, false, false]);
    assert(!await isThere("/etc/systemd/system/multi-user.target.wants/gantry.service"));
  });
  await Deno.remove(folder, { recursive: true });
});
