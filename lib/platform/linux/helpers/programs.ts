/**
 * The paths and versions of programs.
 *
 * @module
 */
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { runCommand } from "./command.ts";
import { SYSTEM_PATH } from "./spawn.ts";

/** A program's place and what it says of itself. Empty texts where it is missing. */
export interface ProgramFacts {
  path: string;
  version: string;
  /** As Debian names a package in full: `conmon_2.1.6+ds1-1_amd64`. */
  package: string;
}

/** The folders of programs that only engines run, the first one first: those of Debian and Arch, and those of Fedora and Alpine. */
export const HELPER_FOLDERS: readonly string[] = ["/usr/lib/podman", "/usr/libexec/podman"];

/** The full path of a program, or `undefined`. */
export async function findProgram(name: string): Promise<string | undefined> {
  // Sudo and service managers may leave the system's folders out of `PATH`.
  for (const folder of [...(process.env.PATH ?? "").split(":"), ...SYSTEM_PATH.split(":")]) {
    if (folder === "") continue;
    const path = join(folder, name);
    if (await access(path, constants.X_OK).then(() => true, () => false)) return path;
  }
}

/** Asks a program for its version, and the package manager for its package. */
export async function programFacts(path: string | undefined, packageName: string): Promise<ProgramFacts> {
  if (path === undefined) return { path: "", version: "", package: "" };
  const [version, owner] = await Promise.all([
    runCommand(path, ["--version"]).then(({ stdout }) => stdout.trim(), () => ""),
    packageVersion(packageName),
  ]);
  return { path, version, package: owner };
}

/** The installed package in full, or an empty text. */
export async function packageVersion(name: string): Promise<string> {
  const format = "${db:Status-Status} ${Package}_${Version}_${Architecture}";
  const answer = await runCommand("dpkg-query", ["--show", `--showformat=${format}`, name]).catch(() => undefined);
  const [status, owner] = (answer?.stdout ?? "").split(" ");
  return status === "installed" ? owner! : "";
}
