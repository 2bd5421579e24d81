/**
 * Networks of containers that pasta(1) or slirp4netns(1) carries: a process for each container, which outlives the server, and whose
 * number is noted for the next one.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { access, constants, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import type { UserNetworkProgram } from "../../../../engine/records/user_network.ts";
import type { HostPaths } from "../../helpers/paths.ts";
import { isAlive, markProcess, readMark, signalIfThere } from "../../helpers/proc.ts";
import { findProgram } from "../../helpers/programs.ts";
import { checkHostPorts } from "../host_ports.ts";
import type { LinkHelper } from "../links/link_helper.ts";
import type { UserNetworkSetup } from "./carrier.ts";
import { startPasta } from "./pasta.ts";
import { startSlirp } from "./slirp4netns.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

/** The device by which programs have interfaces. */
const TUN = "/dev/net/tun";

/** The packages that bring the programs, on Debian, Fedora, Alpine and Arch alike. */
const PACKAGES: Readonly<Record<UserNetworkProgram, string>> = { pasta: "passt", slirp4netns: "slirp4netns" };

/**
 * Connects a container's namespace and publishes its ports. Throws `unsupported` where the program is not installed, `port_in_use`, and
 * `invalid` for what the program refuses.
 */
export async function connectUserNetwork(
  paths: HostPaths,
  helper: LinkHelper,
  setup: UserNetworkSetup,
): Promise<NetworkStatus> {
  const { program } = setup.userNetwork;
  const path = await findProgram(program);
  if (path === undefined) {
    const why = `${program} is not installed (package ${PACKAGES[program]})`;
    throw new EngineError("unsupported", `Set up network "${program}": ${why}`);
  }
  await requireTun(program);
  await disconnectUserNetwork(paths, setup.containerID);
  await checkHostPorts(helper, setup.ports);
  const folder = noteFolder(paths, setup.containerID);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const { pid, status } = await (program === "pasta" ? startPasta : startSlirp)(path, folder, setup);
    writeFileSync(join(folder, "process"), JSON.stringify(markProcess(pid)));
    return status;
  } catch (error) {
    await disconnectUserNetwork(paths, setup.containerID);
    throw error;
  }
}

/** Throws `unsupported` where the program could not open an interface for its packets. */
async function requireTun(program: UserNetworkProgram): Promise<void> {
  try {
    await access(TUN, constants.R_OK | constants.W_OK);
  } catch (error) {
    const isMissing = hasSystemCode(error, "ENOENT");
    const why = isMissing ? "is missing: modprobe tun" : "is closed to the server's user: chmod 666 opens it";
    throw new EngineError("unsupported", `Set up network "${program}": ${TUN} ${why}`);
  }
}

/** Ends the program of a container's network, whichever server has started it. Its ports are free then. */
export async function disconnectUserNetwork(paths: HostPaths, containerID: string): Promise<void> {
  const folder = noteFolder(paths, containerID);
  const mark = readMark(join(folder, "process"));
  if (mark !== undefined && isAlive(mark)) {
    signalIfThere(mark.pid, "SIGKILL");
    while (isAlive(mark)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await rm(folder, { recursive: true, force: true });
}

/** A short name: the path of a socket in it has at most 107 characters, unix(7). */
function noteFolder({ userNetworks }: HostPaths, containerID: string): string {
  return join(userNetworks, containerID.slice(0, 24));
}
