/**
 * The paths and versions of programs.
 *
 * @module
 */
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./command.ts";
import { programFolders } from "./spawn.ts";

/** The folders of programs that only engines run, the first one first: those of Debian and Arch, and those of Fedora and Alpine. */
export const HELPER_FOLDERS: readonly string[] = ["/usr/lib/podman", "/usr/libexec/podman"];

/** The full path of a program, or `undefined`. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of programFolders()) {
    const path = join(folder, name);
    if (await access(path, constants.X_OK).then(() => true, () => false)) return path;
  }
}

/** Whether a program is installed: one with this name in a folder of programs, or a file at this full path. */
export async function isInstalled(program: string): Promise<boolean> {
  if (!program.startsWith("/") && await findProgram(program) !== undefined) return true;
  const paths = program.startsWith("/") ? [program] : HELPER_FOLDERS.map((folder) => join(folder, program));
  return (await Promise.all(paths.map((path) => access(path).then(() => true, () => false)))).includes(true);
}

/** A program's version, in its own words; empty where it is missing. */
export async function programVersion(path: string | undefined): Promise<string> {
  if (path === undefined) return "";
  return await runCommand(path, ["--version"]).then(({ stdout }) => stdout.trim(), () => "");
}

/** The installed packages of these names as Debian names them in full, `conmon_2.1.6+ds1-1_amd64`, in the same order; empty texts where there are none. */
export async function packageVersions(names: readonly string[]): Promise<string[]> {
  const format = "${Package}\\t${db:Status-Status}\\t${Package}_${Version}_${Architecture}\\n";
  // With 1 it says that it does not know each of them; it tells of the others all the same.
  const answer = await runCommand("dpkg-query", ["--show", `--showformat=${format}`, ...names], { accept: [0, 1] })
    .catch(() => undefined);
  const lines = (answer?.stdout ?? "").split("\n").map((line) => line.split("\t"));
  return names.map((name) => lines.find(([owner, status]) => owner === name && status === "installed")?.[2] ?? "");
}
