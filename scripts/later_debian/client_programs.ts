/**
 * Programs of a later Debian than this machine's, for tests with today's clients. apt reads that suite's lists into folders of its
 * own, so that this machine stays as it is.
 *
 * @module
 */

/** The Debian that has today's versions. */
export const SUITE = "forky";

/** Begins in an empty folder; `apt_later` is apt-get for that suite, on a machine without any package. */
const PRELUDE = `set -e
cd "$1"
mkdir -p lists/partial cache/archives/partial parts
: > status
site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep /debian$ | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site ${SUITE} main" > sources.list
apt_later() {
  # A mirror that stands still keeps a list that says it is too old.
  apt-get --quiet --quiet --yes --option Dir::Etc::SourceList="$PWD/sources.list" --option Dir::Etc::SourceParts="$PWD/parts" \\
    --option Dir::State::Lists="$PWD/lists" --option Dir::State::status="$PWD/status" --option Dir::Cache="$PWD/cache" \\
    --option Acquire::Check-Valid-Until=false --option APT::Sandbox::User=root "$@"
}
apt_later update
`;

/** Takes a plugin of the Docker client out of its package: it needs only a libc of any age. */
const pluginScript = (name: string) => `
apt_later download ${name}
dpkg-deb --fsys-tarfile ${name}_*.deb |
  tar --extract --file=- ./usr/libexec/docker/cli-plugins/${name}
install -D --mode=755 usr/libexec/docker/cli-plugins/${name} "$2"
`;

/** Takes podman out of its package, with all libraries that it needs, the C library and its loader included. */
const PODMAN_SCRIPT = `
apt_later --download-only --no-install-recommends install podman
mkdir tree
for package in cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar --extract --file=- --directory=tree --wildcards --no-anchored './usr/lib/*/*.so*' \\
      ./usr/bin/podman ./usr/libexec/podman/quadlet 2>/dev/null || :
done
folder=$(dirname "$2")
libraries=$(dirname "$(ls tree/usr/lib/*/libc.so.6)")
rm -rf "$folder"
mkdir -p "$folder"
cp -a "$libraries" "$folder/lib"
install --mode=755 tree/usr/bin/podman "$folder/program"
install --mode=755 tree/usr/libexec/podman/quadlet "$folder/quadlet-program"
loader=$(basename "$(ls "$folder"/lib/ld-linux*.so.*)")
start() {
  printf '#!/bin/sh\\nexec "%s" --library-path "%s" "%s" "$@"\\n' "$folder/lib/$loader" "$folder/lib" "$folder/$1" > "$2"
  chmod 755 "$2"
}
start quadlet-program "$folder/quadlet"
start program "$2"
`;

/** The place where the Docker client looks for plugins that no package brings. */
export const COMPOSE_PLUGIN = "/usr/local/lib/docker/cli-plugins/docker-compose";

/** buildx, where the Docker client does not look by itself: with it every build would be one by BuildKit. */
export const BUILDX_PLUGIN = "/usr/local/lib/gantry-test/docker-buildx";

/** Today's podman, which starts with its own C library. */
export const LATER_PODMAN = "/usr/local/lib/gantry-test/podman/podman";

/** The generator of units of that podman, beside it. */
export const LATER_QUADLET = "/usr/local/lib/gantry-test/podman/quadlet";

/** Installs `docker compose` 2.40 for the Docker client of this machine. Says why where that fails. */
export function installCompose(log: (line: string) => void): Promise<boolean> {
  return installLater("docker compose", pluginScript("docker-compose"), COMPOSE_PLUGIN, log);
}

/** Installs `docker buildx` 0.29 at {@linkcode BUILDX_PLUGIN}. Says why where that fails. */
export function installBuildx(log: (line: string) => void): Promise<boolean> {
  return installLater("docker buildx", pluginScript("docker-buildx"), BUILDX_PLUGIN, log);
}

/** Installs podman 5.8 at {@linkcode LATER_PODMAN}, with its generator. Says why where that fails. */
export function installLaterPodman(log: (line: string) => void): Promise<boolean> {
  return installLater("podman 5.8", PODMAN_SCRIPT, LATER_PODMAN, log);
}

/** Runs a script with the place it installs to as its second argument; needs root, apt and Debian's archive. */
async function installLater(what: string, script: string, place: string, log: (line: string) => void) {
  const folder = await Deno.makeTempDir({ prefix: "gantry-later-" });
  try {
    const shell = new Deno.Command("sh", {
      args: ["-c", PRELUDE + script, "sh", folder, place],
      env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
      stdout: "null",
      stderr: "piped",
    });
    const { success, stderr } = await shell.output();
    if (!success) log(`setup: ${what} is left out: ${new TextDecoder().decode(stderr).trim().slice(-500)}`);
    return success;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
