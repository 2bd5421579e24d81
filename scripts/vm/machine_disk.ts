/**
 * The disk of the tests' virtual machine: a Debian 13 with its kernel, systemd and the programs that containers and their tests
 * need. It is made once and kept, since making it takes minutes and a gigabyte.
 *
 * @module
 */
import { keptFolder } from "../kept_folder.ts";

/** The Debian of the machine. */
const SUITE = "trixie";

/** Packages in the machine: those that containers need, and those of the tests' clients and registries. */
const PACKAGES = [
  ...["systemd", "systemd-sysv", "dbus", "udev", "kmod", "linux-image-amd64", "initramfs-tools", "apparmor", "procps"],
  ...[
    "conmon",
    "crun",
    "runc",
    "netavark",
    "aardvark-dns",
    "iptables",
    "nftables",
    "iproute2",
    "catatonit",
    "criu",
    "libcriu2",
  ],
  ...["golang-github-containers-common", "perl-base", "ca-certificates", "tar", "mount", "util-linux"],
  ...[
    "podman",
    "skopeo",
    "buildah",
    "docker-registry",
    "docker-cli",
    "docker-compose",
    "busybox-static",
    "jq",
    "curl",
    "openssl",
  ],
  ...["file", "git", "gnupg", "uidmap", "passt", "slirp4netns", "e2fsprogs", "xfsprogs", "openssh-server"],
  // An ordinary user's own systemd, with cgroups of its own.
  ...["libpam-systemd", "dbus-user-session"],
];

/**
 * The machine's own service: it runs the script of the share `run`, whose output is the second serial line, and then switches off, or does
 * what `/run/gantry-next` names.
 */
const SERVICE = `[Unit]
Description=Tests of Gantry
After=multi-user.target

[Service]
Type=oneshot
Environment=HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
Delegate=yes
ExecStart=/bin/bash -c 'exec > /dev/ttyS1 2>&1; mkdir -p /mnt/run; mount -t 9p -o trans=virtio,version=9p2000.L run /mnt/run; exec bash /mnt/run/inside.sh'
ExecStopPost=/bin/bash -c 'systemctl --no-block $(cat /run/gantry-next 2>/dev/null || echo poweroff)'
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
`;

/** Run with the folder to work in; leaves \`disk.raw\`, \`kernel\` and \`initrd\` in it. */
const SCRIPT = `set -e
cd "$1"
site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep /debian$ | head -n 1)
debootstrap --variant=minbase --include="$2" ${SUITE} root "$site" > log 2>&1 || { tail -n 5 log >&2; exit 1; }
cat > root/etc/systemd/system/gantry-test.service
mkdir -p root/etc/systemd/system/multi-user.target.wants
ln -s ../gantry-test.service root/etc/systemd/system/multi-user.target.wants/gantry-test.service
rm -f root/etc/systemd/system/multi-user.target.wants/docker-registry.service
echo '/dev/vda / ext4 defaults 0 1' > root/etc/fstab
echo gantry-vm > root/etc/hostname
printf '127.0.0.1 localhost gantry-vm\\n::1 localhost\\n' > root/etc/hosts
cp root/boot/vmlinuz-* kernel
cp root/boot/initrd.img-* initrd
truncate --size=8G disk.raw
mke2fs -q -t ext4 -d root disk.raw
rm -rf root
`;

/** The files that a machine boots from. */
export interface MachineFiles {
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

/**
 * Returns the machine's files; makes them where they are not there yet, or the recipe has changed. Needs root, debootstrap and
 * Debian's archive.
 *
 * @throws {Error} with the last lines of debootstrap
 */
export async function makeMachineDisk(log: (line: string) => void): Promise<MachineFiles> {
  const { place, isThere } = await keptFolder("vm", [SCRIPT, SERVICE, ...PACKAGES]);
  const files = { disk: `${place}/disk.raw`, kernel: `${place}/kernel`, initrd: `${place}/initrd` };
  if (isThere) return files;
  log(`making the disk of a Debian ${SUITE} in ${place} (once; 1.4 GB, some minutes)`);
  const folder = `${place}.new`;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  // Its mounts end with it, also where it is killed: nobody then deletes through one.
  const child = new Deno.Command("unshare", {
    args: ["--mount", "sh", "-c", SCRIPT, "sh", folder, PACKAGES.join(",")],
    env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(SERVICE));
  await writer.close();
  const { success, stderr } = await child.output();
  if (!success) throw new Error(`Make the machine's disk: ${new TextDecoder().decode(stderr).trim()}`);
  // Under its name only when it is whole.
  await Deno.rename(folder, place);
  return files;
}
