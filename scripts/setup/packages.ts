/**
 * The Debian packages that containers, their tests and the machines of tests need.
 *
 * @module
 */
import { NEEDS } from "../../lib/platform/doctor/needs.ts";

/** A package and where to look for what it brings: a program's name, or a path. */
export interface Package {
  name: string;
  probe: string;
}

/** The packages that running containers needs. */
export const RUN: readonly Package[] = NEEDS.map(({ probe, packages }) => ({ name: packages.debian, probe }));

/** The packages that the host suite needs beside those. */
export const HOST_TEST: readonly Package[] = [
  { name: "podman", probe: "podman" },
  { name: "skopeo", probe: "skopeo" },
  { name: "buildah", probe: "buildah" },
  { name: "docker-registry", probe: "docker-registry" },
  // The other busybox package has the same program, linked dynamically.
  { name: "busybox-static", probe: "/usr/share/doc/busybox-static" },
  { name: "jq", probe: "jq" },
  { name: "openssl", probe: "openssl" },
  { name: "openssh-client", probe: "ssh-agent" },
  { name: "openssh-server", probe: "sshd" },
  { name: "file", probe: "file" },
  // The package for Debian has a page for man, and units.
  { name: "man-db", probe: "man" },
  { name: "systemd", probe: "systemd-analyze" },
  // Keys for the secrets of the driver pass.
  { name: "gnupg", probe: "gpg" },
  { name: "slirp4netns", probe: "slirp4netns" },
  // Its recipes stand beside those of our client.
  { name: "python3-docker", probe: "/usr/lib/python3/dist-packages/docker" },
];

/** The packages that all tests need beside those that containers need. */
export const TEST: readonly Package[] = [...HOST_TEST, { name: "chromium", probe: "chromium" }];

/** The program that makes a folder with another Debian. */
export const DEBIAN: readonly Package[] = [{ name: "debootstrap", probe: "debootstrap" }];

/** The emulator of the virtual machine, and what makes its disk. */
export const MACHINE: readonly Package[] = [
  { name: "qemu-system-x86", probe: "qemu-system-x86_64" },
  ...DEBIAN,
  { name: "e2fsprogs", probe: "mke2fs" },
];
