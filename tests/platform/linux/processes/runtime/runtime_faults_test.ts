import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runtimeFaults } from "../../../../../lib/platform/linux/processes/runtime/runtime_faults.ts";

const faults = (name: string, version: string, changelog = "") => {
  const said = `${name} version ${version}\ncommit: 1\nspec: 1.0.2`;
  return runtimeFaults({ name, path: `/usr/bin/${name}`, version: said }, () => Promise.resolve(changelog));
};

Deno.test("runtimeFaults() names what a version is open to, and what to install", async () => {
  const all = (await faults("runc", "1.0.0-rc6"))!;
  for (const cve of ["2019-5736", "2021-30465", "2024-21626", "2024-45310", "2025-31133", "2025-52565", "2025-52881"]) {
    assertStringIncludes(all, `CVE-${cve}`);
  }
  assertMatch(all, /Install runc 1\.2\.8, 1\.3\.3, 1\.4\.0-rc\.3 or later/);
  assertEquals(all.includes("\n"), false);
  for (const version of ["1.1.5+ds1", "1.1.15", "1.2.7", "1.3.0", "1.3.2+ds1", "1.4.0-rc.2", "1.0.0~rc95"]) {
    assertStringIncludes(
      (await faults("runc", version)) ?? "",
      "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881",
      version,
    );
  }
  for (const version of ["1.2.8", "1.2.9", "1.3.3", "1.3.4+ds1", "1.4.0-rc.3", "1.4.0", "1.10.0", "2.0.0"]) {
    assertEquals(await faults("runc", version), undefined, version);
  }
  assertStringIncludes((await faults("crun", "1.4.3"))!, "(CVE-2022-27650)");
  assertEquals([await faults("crun", "1.4.4"), await faults("crun", "1.8.1")], [undefined, undefined]);
  assertEquals([await faults("youki", "0.1.0"), await faults("runc", "odd")], [undefined, undefined]);
});

Deno.test("runtimeFaults() believes a changelog of the very package, and no other", async () => {
  const log = (version: string, ...cves: string[]) =>
    `runc (${version}) bookworm-security; urgency=high\n\n  * ${cves}\n`;
  const one = log("1.1.5+ds1-1+deb12u1", "CVE-2024-21626");
  const open = (await faults("runc", "1.1.5+ds1", one))!;
  assertEquals(open.includes("CVE-2024-21626"), false);
  assertStringIncludes(open, "CVE-2025-52881");
  assertStringIncludes((await faults("runc", "1.1.5", one.replace("1.1.5+ds1", "1.1.4")))!, "CVE-2024-21626");
  assertStringIncludes((await faults("runc", "1.1.5", one))!, "CVE-2024-21626");
  const every = ["CVE-2024-21626", "CVE-2024-45310", "CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"];
  assertEquals(await faults("runc", "1.1.5+ds1", log("1.1.5+ds1-1+deb12u9", ...every)), undefined);
  const part = (await faults("runc", "1.1.5+ds1", log("1.1.5+ds1-1+deb12u9", ...every.slice(0, -1))))!;
  assertStringIncludes(part, "(CVE-2025-52881)");
});
