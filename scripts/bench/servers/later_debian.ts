/**
 * Runs the bench in a Debian of today's versions: its Podman, its Docker and its crun, which Gantry uses too. That Debian is a folder,
 * made once; the bench enters it in namespaces of its own (mounts, processes, network), which end with it.
 *
 * @module
 */
import { keptFolder } from "../../kept_folder.ts";
import { NEEDS } from "../../../lib/platform/doctor/needs.ts";

/** The Debian that has today's versions. */
const SUITE = "forky";

const PACKAGES: readonly string[] = [
  ...new Set(NEEDS.map(({ packages }) => packages.debian)),
  ...["podman", "docker.io", "docker-registry", "busybox-static", "curl", "ca-certificates", "procps"],
];

/** The project's folder; the Debian has it at the same path. */
const PROJECT = new URL("../../../", import.meta.url).pathname.replace(/\/$/, "");

/** Makes the folder `$1` with the packages `$2`: under its name only when it is whole. No service starts in it. */
const MAKE = `set -e
root="$1.new"
rm -rf "$root"
site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep /debian$ | head -n 1)
debootstrap --variant=minbase ${SUITE} "$root" "$site" /usr/share/debootstrap/scripts/sid > "$1.log" 2>&1
printf '#!/bin/sh\\nexit 101\\n' > "$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
chroot "$root" apt-get --quiet --yes --no-install-recommends install $2 >> "$1.log" 2>&1
umount --recursive --lazy "$root/dev" "$root/proc"
mv "$root" "$1"
`;

/**
 * Enters the folder \`$1\` with the folders \`$2\`, one a line, at their places, and runs the rest. A hybrid cgroup hierarchy becomes one of
 * the first version: the peers' runtimes refuse a mixture.
 */
const ENTER = `set -e
root=$1
folders=$2
shift 2
ip link set lo up
mount --make-rprivate /
mount --bind "$root" "$root"
echo "$folders" | while read -r folder; do
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
if mountpoint -q "$root/sys/fs/cgroup/unified"; then umount "$root/sys/fs/cgroup/unified"; fi
mount -t tmpfs run "$root/run"
mkdir -p "$root/.before"
cd "$root"
pivot_root . .before
umount -l /.before
exec catatonit -- "$@"
`;

/**
 * Runs this bench once more, with these arguments, in the later Debian, and returns its exit code.
 *
 * @param shown Folders outside the project that it writes to: they are at their places there, too
 */
export async function benchInLaterDebian(args: readonly string[], shown: readonly string[]): Promise<number> {
  const root = await makeRoot();
  const program = Deno.execPath();
  const cache = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
  const folders = [PROJECT, program.replace(/\/[^/]*$/, ""), cache, ...shown].join("\n");
  const inner = [program, "run", "-A", "--quiet", `${PROJECT}/scripts/bench.ts`, "--no-setup", ...args];
  const child = new Deno.Command("unshare", {
    args: ["--mount", "--net", "--pid", "--fork", "sh", "-c", ENTER, "sh", root, folders, ...inner],
    env: { DENO_DIR: cache, DENO_NO_UPDATE_CHECK: "1" },
    cwd: "/",
  }).spawn();
  return (await child.status).code;
}

/** Returns the folder of the later Debian; makes it where it is not there, or the list of packages has changed. */
async function makeRoot(): Promise<string> {
  const { place: root, isThere } = await keptFolder(SUITE, [MAKE, ...PACKAGES]);
  if (isThere) return root;
  console.log(`Bench: making a Debian ${SUITE} in ${root} (once; 700 MB, some minutes)`);
  // Its mounts end with it, also where it is killed: nobody then deletes through one.
  const { success, stderr } = await new Deno.Command("unshare", {
    args: ["--mount", "sh", "-c", MAKE, "sh", root, PACKAGES.join(" ")],
    env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return root;
  throw new Error(`Make a Debian ${SUITE}: ${new TextDecoder().decode(stderr).trim()}; see ${root}.log`);
}
