import { assertEquals, assertStringIncludes } from "@std/assert";
import { containerAppArmor } from "../../../lib/platform/linux/bundle/confinement.ts";
import { canFilter } from "../../../lib/platform/linux/processes/runtime/runtime.ts";
import {
  appArmorProfiles,
  missingConfinement,
  usualAppArmorProfile,
} from "../../../lib/platform/linux/security_modules.ts";

const BOTH = [
  "docker-default",
  "containers-default-0.9.1",
  "containers-default-0.57.4",
  "containers-default-ish",
  "lsb",
];

Deno.test("appArmorProfiles() names those that are enforced, here recorded ones", async () => {
  const sys = await Deno.makeTempDir();
  assertEquals(await appArmorProfiles(sys), []);
  await Deno.mkdir(`${sys}/kernel/security/apparmor`, { recursive: true });
  const text =
    "docker-default (enforce)\n/usr/bin/man (complain)\ncontainers-default-0.57.4 (enforce)\na b (enforce)\n";
  await Deno.writeTextFile(`${sys}/kernel/security/apparmor/profiles`, text);
  assertEquals(await appArmorProfiles(sys), ["docker-default", "containers-default-0.57.4", "a b"]);
  await Deno.remove(sys, { recursive: true });
});

Deno.test("a container gets the AppArmor profile of its API, unless it asks for another or is privileged", () => {
  const plain = { privileged: false };
  const loaded = BOTH.filter((name) => name !== "containers-default-ish");
  assertEquals(containerAppArmor(plain, loaded), "containers-default-0.57.4");
  assertEquals(containerAppArmor({ ...plain, defaults: "docker" }, loaded), "docker-default");
  assertEquals(containerAppArmor({ ...plain, defaults: "docker" }, ["containers-default-1"]), "containers-default-1");
  assertEquals(usualAppArmorProfile(["docker-default"]), "docker-default");
  assertEquals(containerAppArmor({ ...plain, apparmor: "mine" }, loaded), "mine");
  assertEquals(containerAppArmor({ ...plain, apparmor: "unconfined" }, loaded), undefined);
  assertEquals(containerAppArmor({ privileged: true }, loaded), undefined);
  assertEquals(containerAppArmor({ privileged: true, apparmor: "mine" }, loaded), "mine");
  assertEquals(containerAppArmor(plain, ["lsb"]), undefined);
});

Deno.test("missingConfinement() says which security module confines no container", () => {
  assertEquals(missingConfinement({ apparmor: false, selinux: false }, []), []);
  assertEquals(missingConfinement({ apparmor: true, selinux: false }, BOTH), []);
  const [first] = missingConfinement({ apparmor: true, selinux: false }, ["lsb"]);
  assertStringIncludes(first ?? "", "AppArmor is on, and has no profile for containers");
  const [second] = missingConfinement({ apparmor: false, selinux: true }, []);
  assertStringIncludes(second ?? "", "SELinux is on");
});

Deno.test("canFilter() sees from its version whether a runtime was built with seccomp", () => {
  assertEquals(canFilter("crun", "crun version 1.8.1\n+SYSTEMD +SELINUX +APPARMOR +CAP +SECCOMP +EBPF +YAJL"), true);
  assertEquals(canFilter("crun", "crun version 1.8.1\n+SYSTEMD +CAP -SECCOMP +YAJL"), false);
  assertEquals(canFilter("runc", "runc version 1.1.5\nspec: 1.0.2-dev\nlibseccomp: 2.5.4"), true);
  assertEquals(canFilter("runc", "runc version 1.1.5\nspec: 1.0.2-dev"), false);
});
