/**
 * A Debian of today's versions in a folder: its runtimes, its programs for networks, its Podman and its Docker. It is made once and kept.
 * The bench and the host suite enter it in namespaces of their own (mounts, processes, network), which end with the command that they run.
 *
 * @module
 */
import { keptFolder } from "../kept_folder.ts";
import { HOST_TEST, RUN } from "../setup/packages.ts";
import { SUITE } from "./client_programs.ts";

/** The packages of the engine and of the host suite, and further ones. */
const PACKAGES: readonly string[] = [
  ...new Set([...RUN, ...HOST_TEST].map(({ name }) => name)),
  // The bench's peers, and the library by which crun calls criu.
  ...["docker.io", "docker-cli", "libcriu2"],
  // Every machine has these, but the smallest Debian does not.
  ...["procps", "passwd", "netbase", "kmod", "e2fsprogs", "attr", "xz-utils", "bzip2", "zstd", "python3"],
];

/** The project's folder; the Debian has it at the same path. */
const PROJECT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** The folder of the programs that `scripts/setup.ts` takes out of packages. They start in any Debian. */
const PROGRAMS = "/usr/local/lib";

/**
 * Makes the folder `$1` with the packages `$2`: under its name only when it is whole, and by one command at a time, for which others wait. No
 * service starts in it.
 */
const MAKE = `set -e
exec 9> "$1.lock"
flock 9
if [ -e "$1" ]; then exit; fi
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
 * Gives the namespace a way out, at whose other end, in a namespace of its own, every address is the machine's and no port is open: programs
 * look for the interface of the default route, and nothing that is sent outside is waited for, by resolvers neither. \`$root/proc\` is the namespace's own.
 */
const UPLINK = `ip link set lo up
unshare --net sleep infinity &
away="$root/proc/$!/ns/net"
while [ "$(readlink "$away")" = "$(readlink "$root/proc/self/ns/net")" ]; do sleep 0.05; done
ip link add uplink type veth peer name away netns $!
nsenter --net="$away" sh -ec 'ip link set lo up
ip address add 192.0.2.1/24 dev away
ip link set away up
ip route add local default dev lo'
ip address add 192.0.2.2/24 dev uplink
ip link set uplink up
ip route add default via 192.0.2.1
`;

/**
 * Enters the folder \`$1\` with the folders \`$2\`, one a line, at their places and the folder \`$3\` as its /tmp, and runs the rest in the
 * folder \`$4\`, with control groups as \`$5\` says. /sys is mounted anew: this machine's would show the interfaces of this machine's network.
 */
const ENTER = `set -e
root=$1
folders=$2
temporary=$3
project=$4
cgroups=$5
shift 5
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$temporary" "$root/tmp"
echo "$folders" | while read -r folder; do
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
mount -t proc proc "$root/proc"
${UPLINK}
mount --rbind /dev "$root/dev"
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
if [ "$cgroups" = legacy ] && mountpoint -q "$root/sys/fs/cgroup/unified"; then umount "$root/sys/fs/cgroup/unified"; fi
mount -t tmpfs run "$root/run"
mkdir -p "$root/.before"
cd "$root"
pivot_root . .before
umount -l /.before
cd "$project"
exec catatonit -- "$@"
`;

/** A way into the later Debian. */
export interface LaterDebian extends AsyncDisposable {
  /** The words of a command that runs the words behind them there, in the project's folder, with a network that leads nowhere. */
  readonly words: readonly string[];
  /** Variables of the environment that Deno needs there. */
  readonly env: Readonly<Record<string, string>>;
}

/** Choices of {@linkcode openLaterDebian}. */
export interface LaterOptions {
  /** Folders outside the project that what runs there reads or writes: they are at their places. */
  readonly shown?: readonly string[];
  /**
   * `legacy` makes a hybrid hierarchy of control groups one of the first version: runtimes of today refuse a mixture, and Docker and Podman
   * do not help them.
   */
  readonly cgroups?: "legacy";
}

/**
 * Opens the later Debian, and makes it where it is not there, or the list of packages has changed. Needs root, and debootstrap to make it. The
 * end of the opening deletes its /tmp.
 */
export async function openLaterDebian({ shown = [], cgroups }: LaterOptions = {}): Promise<LaterDebian> {
  const root = await makeRoot();
  const cache = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
  const temporary = await Deno.makeTempDir({ prefix: "gantry-later-" });
  await Deno.chmod(temporary, 0o1777);
  const folders = [PROJECT, Deno.execPath().replace(/\/[^/]*$/, ""), cache, PROGRAMS, ...shown].join("\n");
  return {
    words: [
      ...["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"],
      ...["sh", "-c", ENTER, "sh", root, folders, temporary, PROJECT, cgroups ?? "as they are"],
    ],
    env: { DENO_DIR: cache, DENO_NO_UPDATE_CHECK: "1" },
    [Symbol.asyncDispose]: () => Deno.remove(temporary, { recursive: true }),
  };
}

/** Returns the folder of the later Debian; makes it where it is not there, or the list of packages has changed. */
async function makeRoot(): Promise<string> {
  const { place: root, isThere } = await keptFolder(SUITE, [MAKE, ...PACKAGES]);
  if (isThere) return root;
  console.log(`Making a Debian ${SUITE} in ${root} (once; 1.3 GB, some minutes)`);
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
