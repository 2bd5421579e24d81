import { access, readFile } from "node:fs/promises";

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
    readFile(`${sys}/module/apparmor/parameters/enabled`, "utf8").catch(() => ""),
    access(`${sys}/fs/selinux/enforce`).then(() => true, () => false),
  ]);
  return { apparmor: apparmor.trim() === "Y", selinux };
}
