/** What of the host no case may change: chosen files of the system, and canaries that lie where containers aim. */
import { createHash } from "node:crypto";

const FILES = [
  ..."/etc/passwd /etc/group /etc/shadow /etc/hosts /etc/resolv.conf /etc/localtime /etc/hostname".split(" "),
  ..."/usr/share/zoneinfo/Europe/Berlin /bin/sh /bin/busybox /usr/bin/crun /usr/bin/conmon /usr/sbin/runc".split(" "),
  ..."/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hostname".split(" "),
  "/sys/fs/cgroup/release_agent",
];
const FOLDERS = ["/", "/etc", "/bin", "/sbin", "/usr/bin", "/root", "/dev/shm", "/proc/1/root/etc"];

/** Names a state of the host: owners, modes, times and content of files, names of folders. */
export function hostDigest(canaries: string): Map<string, string> {
  const states = new Map<string, string>();
  for (const path of [...FILES, ...walk(canaries)]) states.set(path, fileState(path));
  for (const path of FOLDERS) states.set(path, names(path).join(" "));
  return states;
}

/** Makes a folder with files that containers, images and peers are led to; gives its path. */
export async function makeCanaries(parent: string): Promise<string> {
  const folder = `${parent}/canaries`;
  await Deno.mkdir(`${folder}/folder/inner`, { recursive: true });
  for (const name of ["secret", "passwd", "hosts", "group", "ptmx", "folder/secret", "folder/inner/secret"]) {
    await Deno.writeTextFile(`${folder}/${name}`, name.endsWith("passwd") ? `${ACCOUNT}${SECRET}` : SECRET);
    await Deno.chmod(`${folder}/${name}`, 0o600);
  }
  return folder;
}

/** The text of every canary: no answer of a server may have it. */
export const SECRET = "the-text-of-a-canary\n";

/** A variable of the server with that text. */
export const VARIABLE = "GANTRY_CANARY";

/** An account that only the host's file has. */
const ACCOUNT = "escaped:x:4242:4242::/:/bin/sh\n";

function fileState(path: string): string {
  try {
    const { mode, uid, gid, size, mtime, ino } = Deno.lstatSync(path);
    const content = Deno.statSync(path).isFile
      ? createHash("sha256").update(Deno.readFileSync(path)).digest("hex")
      : "";
    // The kernel gives files of /proc and /sys new times and numbers as it likes.
    const kept = /^\/(proc|sys)\//.test(path) ? [] : [size, mtime?.getTime(), ino];
    return [mode, uid, gid, ...kept, content].join(":");
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "missing" : String(error);
  }
}

function names(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

function walk(folder: string): string[] {
  return [
    folder,
    ...[...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
      isDirectory ? walk(`${folder}/${name}`) : [`${folder}/${name}`]
    ),
  ];
}
