/** Words of an operator in the virtual machine, whose processor is emulated: programs take their time. */
import { run, runOk } from "../../fixtures/run.ts";

// They install and purge packages, and add a user: on no other machine.
if (Deno.env.get("GANTRY_TEST_BOOTS") === undefined) {
  throw new Error('These tests are those of "deno task test:vm package": they run in its machine alone');
}

const timeout = 600_000;

/** The ordinary user. */
export const USER = "ann";
/** The list of files before the installation. */
export const BEFORE = "/mnt/run/before.txt";
/** The host's port of the container that keeps running. */
export const PORT = 8080;

/** Runs a shell's words as root; throws where they fail. */
export function shell(words: string): Promise<string> {
  return runOk(["sh", "-c", words], { timeout });
}

/** Runs the Docker CLI against the system's server. */
export function docker(...args: string[]): Promise<string> {
  return runOk(["docker", "-H", "unix:///run/gantry/gantry.sock", ...args], { timeout });
}

/** Runs a shell's words as the user, whose own systemd runs. `$DOCKER` is the Docker CLI with the user's server. */
export async function asUser(words: string): Promise<string> {
  const uid = (await runOk(["id", "-u", USER])).trim();
  const env = [`XDG_RUNTIME_DIR=/run/user/${uid}`, `DOCKER=docker -H unix:///run/user/${uid}/gantry/gantry.sock`];
  return await runOk(["runuser", "-u", USER, "--", "env", `HOME=/home/${USER}`, ...env, "sh", "-c", words], {
    timeout,
  });
}

/** Asks systemd for the states of units. */
export async function states(...units: string[]): Promise<string[]> {
  return (await run(["systemctl", "is-active", ...units])).stdout.trim().split("\n");
}

/** Paths of the system that a package may have put there. */
export async function listFiles(): Promise<string[]> {
  const outside = ["/var/lib/dpkg", "/var/lib/systemd", "/var/log", "/var/cache", "/var/tmp"];
  const prunes = outside.map((path) => `-path ${path} -prune -o`).join(" ");
  return (await shell(`find /etc /usr /opt /srv /var /lib -xdev ${prunes} -print | sort`)).trim().split("\n");
}

/** Does the steps of a test in order; the first one that fails ends it. */
export async function inOrder(t: Deno.TestContext, steps: Record<string, () => Promise<void>>): Promise<void> {
  for (const [name, step] of Object.entries(steps)) if (!await t.step(name, step)) return;
}
