import { access } from "node:fs/promises";
import { hostText } from "./helpers/bounded_read.ts";

/** The profiles that engines load for containers: Podman's, which has its version in the name, and Docker's. */
const PODMAN_PROFILE = /^containers-default(?:-.*)?$/;
const DOCKER_PROFILE = /^docker-default$/;

/** The kernel's security modules that confine by label or profile. */
export interface SecurityModules {
  apparmor: boolean;
  selinux: boolean;
}

/**
 * Asks the kernel which of them are on.
 *
 * @param sys Where sysfs is mounted
 */
export async function securityModules(sys = "/sys"): Promise<SecurityModules> {
  const [apparmor, selinux] = await Promise.all([
    hostText(`${sys}/module/apparmor/parameters/enabled`),
    access(`${sys}/fs/selinux/enforce`).then(() => true, () => false),
  ]);
  return { apparmor: apparmor.trim() === "Y", selinux };
}

/**
 * The names of AppArmor's profiles that are enforced.
 *
 * @param sys Where sysfs is mounted
 */
export async function appArmorProfiles(sys = "/sys"): Promise<string[]> {
  const text = await hostText(`${sys}/kernel/security/apparmor/profiles`);
  return text.split("\n").flatMap((line) => /^(.+) \(enforce\)$/.exec(line)?.[1] ?? []);
}

/** The profile of a container that asks for none: that of its API, else the other one; `undefined` where neither is loaded. */
export function usualAppArmorProfile(loaded: readonly string[], defaults?: "docker"): string | undefined {
  const newest = (form: RegExp) =>
    loaded.filter((name) => form.test(name)).sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
  const [podman, docker] = [newest(PODMAN_PROFILE), newest(DOCKER_PROFILE)];
  return defaults === "docker" ? docker ?? podman : podman ?? docker;
}

/** Says what confines nobody here though the kernel could: one line each. */
export function missingConfinement(modules: SecurityModules, loaded: readonly string[]): string[] {
  const lines: string[] = [];
  if (modules.apparmor && usualAppArmorProfile(loaded) === undefined) {
    lines.push(
      "AppArmor is on, and has no profile for containers: they run without one. " +
        'Load "containers-default" of Podman, or "docker-default" of Docker, with apparmor_parser',
    );
  }
  if (modules.selinux) {
    lines.push("SELinux is on, and containers get no label of their own here: they run with the server's");
  }
  return lines;
}
