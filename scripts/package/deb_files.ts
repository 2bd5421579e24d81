/**
 * The files of Gantry's Debian package, but for the Deno in it.
 *
 * @module
 */
import { NEEDS } from "../../lib/platform/doctor/needs.ts";
import { serviceUnits } from "../../lib/platform/entries/service/service_units.ts";
import { SHARED_FOLDER } from "../../lib/platform/linux/networks/subnets.ts";
import { helpTexts } from "../../lib/platform/entries/help_texts.ts";
import { manPage } from "./man_page.ts";
import type { ProgramFiles } from "./program_files.ts";

/** A file's content, and its mode. */
interface PackagedFile {
  content: string | Uint8Array;
  mode: number;
}

/** The texts that the files are made from. */
export interface PackagedTexts {
  version: string;
  program: ProgramFiles;
  license: string;
  /** CHANGELOG.md. */
  changes: string;
}

/** Finds its own folder, so that it runs wherever the package is unpacked. Nothing is fetched, and no configuration read. */
const LAUNCHER = `#!/bin/sh
lib="$(dirname "$(readlink -f "$0")")/../lib/gantry"
DENO_NO_UPDATE_CHECK=1 exec "$lib/deno" run -A --quiet --no-config "$lib/gantry.mjs" "$@"
`;

const DEFAULTS =
  `# Variables of gantry.service, in place of options: "gantry serve --help" lists them. systemd has the socket.
# After a change: systemctl restart gantry.service
#GANTRY_ROOT=/srv/gantry
#GANTRY_LOG_LEVEL=debug
#GANTRY_NO_DOCKER_HUB=1
`;

const ENVIRONMENT_FILE = "/etc/default/gantry";

/** Every file by its path in the system. */
export async function packageFiles(texts: PackagedTexts): Promise<Map<string, PackagedFile>> {
  const { version, program, license, changes } = texts;
  const plain = (content: string | Uint8Array): PackagedFile => ({ content, mode: 0o644 });
  const files = new Map<string, PackagedFile>([
    ["/usr/bin/gantry", { content: LAUNCHER, mode: 0o755 }],
    ...Object.entries(program).map(([name, text]) => [`/usr/lib/gantry/${name}`, plain(text)] as const),
    [ENVIRONMENT_FILE, plain(DEFAULTS)],
    ["/usr/share/doc/gantry/copyright", plain(copyrightFile(license))],
    ["/usr/share/doc/gantry/CHANGELOG.md.gz", plain(await gzipText(changes))],
    ["/usr/share/man/man1/gantry.1.gz", plain(await gzipText(manPage(version, helpTexts())))],
  ]);
  const command = ["/usr/bin/gantry", "serve"];
  // By the manager's own folder: /run, or that of the user.
  const socket = "%t/gantry/gantry.sock";
  const system = serviceUnits({ command, args: [], socket, home: "/root", environmentFile: ENVIRONMENT_FILE });
  for (const [name, text] of system) files.set(`/usr/lib/systemd/system/${name}`, plain(text));
  const user = serviceUnits({ command, args: [], socket, isUser: true });
  for (const [name, text] of user) files.set(`/usr/lib/systemd/user/${name}`, plain(text));
  return files;
}

/** Packages that every Debian has: a package does not name them. */
const ESSENTIAL = new Set(["tar", "util-linux", "perl-base"]);

/** The file `control`, deb-control(5). The needs of `gantry doctor` are its dependencies. */
export function controlFile({ version, arch, size }: { version: string; arch: string; size: number }): string {
  const namesOf = (needs: typeof NEEDS) =>
    needs.map(({ packages }) => packages.debian).filter((name) => !ESSENTIAL.has(name));
  const runtimes = namesOf(NEEDS.filter(({ required }) => required === "runtime"));
  const depends = namesOf(NEEDS.filter(({ required, usual }) => required === true || usual));
  const recommends = namesOf(NEEDS.filter(({ required, usual }) => required === false && !usual));
  return `Package: gantry
Version: ${version}
Architecture: ${arch}
Maintainer: The Gantry authors <gantry@localhost>
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libgcc-s1, ${[runtimes.join(" | "), ...new Set(depends)].join(", ")}
Recommends: ${[...new Set(recommends)].join(", ")}
Suggests: podman, docker-cli
Section: admin
Priority: optional
Description: container engine with the API of Podman and Docker
 Gantry serves a container engine over HTTP. Podman's remote client, the
 Docker CLI, Compose and other clients of either work with it unchanged.
 It runs containers with crun or runc under conmon, and connects them by
 netavark.
 .
 The package contains the Deno that runs it.
`;
}

function copyrightFile(license: string): string {
  const text = license.trim().split("\n").map((line) => line.trim() === "" ? " ." : ` ${line}`).join("\n");
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: The Gantry authors
License: MIT
${text}

Files: usr/lib/gantry/deno
Copyright: The Deno authors
License: MIT
${text}
`;
}

async function gzipText(text: string): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
}

const UNITS = "gantry.socket gantry.service";

/** Scripts that dpkg runs, deb-postinst(5) and its kin. With another root they touch only that. */
export const MAINTAINER_SCRIPTS: Readonly<Record<string, string>> = {
  conffiles: `${ENVIRONMENT_FILE}\n`,
  // A unit that the administrator has disabled stays so, whatever version comes. The restart puts the new server in the place of the old;
  // containers outlast it.
  postinst: `#!/bin/sh
set -e
case "$1" in configure|abort-upgrade|abort-deconfigure|abort-remove) ;; *) exit 0 ;; esac
if command -v deb-systemd-helper >/dev/null; then
  for unit in ${UNITS}; do
    deb-systemd-helper unmask "$unit" >/dev/null || true
    if deb-systemd-helper --quiet was-enabled "$unit"; then
      deb-systemd-helper enable "$unit" >/dev/null || true
    else
      deb-systemd-helper update-state "$unit" >/dev/null || true
    fi
  done
fi
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  if [ -n "$2" ]; then act=restart; else act=start; fi
  deb-systemd-invoke $act ${UNITS} || true
fi
`,
  // The server ends and containers go on: images, volumes and what runs are not the program's to take away.
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop gantry.service gantry.socket || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper mask ${UNITS} >/dev/null || true
  fi
fi
if [ "$1" = purge ]; then
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper purge ${UNITS} >/dev/null || true
    deb-systemd-helper unmask ${UNITS} >/dev/null || true
  fi
  if [ -z "$DPKG_ROOT" ]; then
    for line in /proc/[0-9]*/cmdline; do
      case "$(tr '\\000' ' ' < "$line" 2>/dev/null)" in
        *conmon*" /run/gantry/"*)
          echo "gantry: containers still run: /var/lib/gantry stays; end them, and remove it yourself" >&2
          exit 0 ;;
      esac
    done
    # The deepest first.
    awk '$5 ~ "^/(var/lib|run)/gantry(/|$)" { print $5 }' /proc/self/mountinfo | sort -r |
      while read -r mount; do umount "$mount" || true; done
    # Servers of all roots share a folder of notes on their bridges: without its note nobody would know of a bridge that is left.
    shared=${SHARED_FOLDER}
    if [ -d "$shared" ]; then
      (
        # Servers that write or remove notes hold this lock.
        flock -w 60 9 || exit 0
        for note in "$shared"/*; do
          if grep -qs '"root":"/var/lib/gantry"' "$note" && [ ! -e "/sys/class/net/\${note##*/}" ]; then rm -f "$note"; fi
        done
        if [ -z "$(ls "$shared")" ]; then rm -f "$shared/.choosing" "$shared/.lock"; fi
      ) 9>"$shared/.choosing"
      rmdir "$shared" 2>/dev/null || true
    fi
  fi
  rm -rf --one-file-system "$DPKG_ROOT/var/lib/gantry" "$DPKG_ROOT/run/gantry"
fi
`,
};
