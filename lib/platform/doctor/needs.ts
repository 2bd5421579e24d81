/** The programs and files that running containers needs, and the packages that bring them. */

/** Families of distributions, by how they name packages. Ubuntu is Debian's. */
export type Family = "debian" | "fedora" | "alpine" | "arch";

/** Something that a host has to have, or should. */
export interface Need {
  /** A program's name, also of one that only engines run, or an absolute path. */
  readonly probe: string;
  readonly packages: Readonly<Record<Family, string>>;
  /** The thing that fails without it. */
  readonly use: string;
  /** Whether no container runs without it; `runtime`: without any of those that say so. */
  readonly required: boolean | "runtime";
  /** Whether a container without options of its own, or the pull of its image, needs it as well. */
  readonly usual?: true;
}

/** A package of the same name everywhere, but where `others` says. */
function packagesOf(debian: string, others: Partial<Record<Family, string>> = {}): Need["packages"] {
  return { debian, fedora: debian, alpine: debian, arch: debian, ...others };
}

const COMMON = { fedora: "containers-common", alpine: "containers-common", arch: "containers-common" };

/** The use of criu, which no ordinary user has. */
export const CHECKPOINTS = "checkpoints";

/** The use of pasta, which also takes a device. */
export const WAY_OUT = "the way out of networks of ordinary users";

/** Everything that `gantry serve` uses of a host. */
export const NEEDS: readonly Need[] = [
  { probe: "conmon", packages: packagesOf("conmon"), use: "containers", required: true },
  { probe: "crun", packages: packagesOf("crun"), use: "containers", required: "runtime" },
  { probe: "runc", packages: packagesOf("runc"), use: "containers", required: "runtime" },
  {
    probe: "netavark",
    packages: packagesOf("netavark"),
    use: "networks other than none and host",
    required: false,
    usual: true,
  },
  {
    probe: "aardvark-dns",
    packages: packagesOf("aardvark-dns"),
    use: "names of containers in networks",
    required: false,
    usual: true,
  },
  {
    probe: "iptables",
    packages: packagesOf("iptables", { fedora: "iptables-nft" }),
    use: "networks with a bridge",
    required: false,
    usual: true,
  },
  { probe: "nft", packages: packagesOf("nftables"), use: "published ports", required: false, usual: true },
  {
    probe: "ip",
    packages: packagesOf("iproute2", { fedora: "iproute" }),
    use: "networks other than none and host",
    required: false,
    usual: true,
  },
  { probe: "catatonit", packages: packagesOf("catatonit"), use: "pods, and containers with an init", required: false },
  { probe: "criu", packages: packagesOf("criu"), use: CHECKPOINTS, required: false },
  {
    probe: "/usr/share/containers/seccomp.json",
    packages: packagesOf("golang-github-containers-common", COMMON),
    use: "the distribution's defaults and short names of images",
    required: false,
  },
  { probe: "tar", packages: packagesOf("tar"), use: "layers of images", required: true },
  {
    probe: "mount",
    packages: packagesOf("mount", { fedora: "util-linux", arch: "util-linux" }),
    use: "containers",
    required: true,
  },
  {
    probe: "unshare",
    packages: packagesOf("util-linux", { alpine: "util-linux-misc" }),
    use: "containers",
    required: true,
  },
  {
    probe: "perl",
    packages: packagesOf("perl-base", { fedora: "perl-interpreter", alpine: "perl", arch: "perl" }),
    use: "containers",
    required: true,
  },
  {
    probe: "newuidmap",
    packages: packagesOf("uidmap", { fedora: "shadow-utils", alpine: "shadow-subids", arch: "shadow" }),
    use: "containers of ordinary users",
    required: false,
  },
  {
    probe: "pasta",
    packages: packagesOf("passt"),
    use: WAY_OUT,
    required: false,
  },
  { probe: "git", packages: packagesOf("git"), use: "builds from Git repositories", required: false },
  { probe: "curl", packages: packagesOf("curl"), use: "health checks by gRPC", required: false },
  {
    probe: "/etc/ssl/certs/ca-certificates.crt",
    packages: packagesOf("ca-certificates"),
    use: "pulls from registries with TLS",
    required: false,
    usual: true,
  },
];

/** The commands that install packages. */
export const INSTALLERS: Readonly<Record<Family, string>> = {
  debian: "apt-get install",
  fedora: "dnf install",
  alpine: "apk add",
  arch: "pacman -S",
};
