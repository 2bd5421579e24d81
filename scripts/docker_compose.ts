/**
 * Today's `docker compose`, taken out of the package of a later Debian than this machine's: the program needs only a libc of any age.
 *
 * @module
 */

/** The place where the Docker client looks for plugins that no package brings. */
export const COMPOSE_PLUGIN = "/usr/local/lib/docker/cli-plugins/docker-compose";

/** The Debian whose package has version 2.40. */
const SUITE = "forky";

/** Reads that suite's list of packages into folders of its own, so that this machine's stays as it is, and takes the program out. */
const SCRIPT = `set -e
cd "$1"
mkdir -p lists/partial cache/archives/partial parts
site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep /debian$ | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site ${SUITE} main" > sources.list
# A mirror that stands still keeps a list that says it is too old.
own="--option Dir::Etc::SourceList=$1/sources.list --option Dir::Etc::SourceParts=$1/parts --option Dir::State::Lists=$1/lists
  --option Dir::Cache=$1/cache --option Acquire::Check-Valid-Until=false --option APT::Sandbox::User=root"
apt-get --quiet --quiet $own update
apt-get --quiet --quiet $own download docker-compose
dpkg-deb --fsys-tarfile docker-compose_*.deb |
  tar --extract --file=- ./usr/libexec/docker/cli-plugins/docker-compose
install -D --mode=755 usr/libexec/docker/cli-plugins/docker-compose "$2"
`;

/** Installs it for the Docker client of this machine. Says why where that fails; needs root, apt and Debian's archive. */
export async function installCompose(log: (line: string) => void): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-compose-" });
  try {
    const shell = new Deno.Command("sh", {
      args: ["-c", SCRIPT, "sh", folder, COMPOSE_PLUGIN],
      env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
      stdout: "null",
      stderr: "piped",
    });
    const { success, stderr } = await shell.output();
    if (!success) log(`setup: docker compose is left out: ${new TextDecoder().decode(stderr).trim().slice(-500)}`);
    return success;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
