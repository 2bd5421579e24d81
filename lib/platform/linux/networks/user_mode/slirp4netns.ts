import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect, isIPv4, isIPv6 } from "node:net";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import { addressAt, parseSubnet } from "../../../../engine/text/ip.ts";
import type { PortMapping } from "../../../../engine/records/container_record.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../../helpers/spawn.ts";
import { interfacesIn } from "../joined_namespace.ts";
import { type Carrier, refusedNetwork, requireKnownProtocols, type UserNetworkSetup } from "./carrier.ts";

/** The interface in the container, as Podman calls it. */
const INTERFACE = "tap0";
const SUBNET = "10.0.2.0/24";
/** The places in its subnet that slirp4netns(1) gives: the machine's loopback, the resolver, the container. */
const [GATEWAY, RESOLVER, CONTAINER] = [2, 3, 100];
const MTU = "65520";
/** Milliseconds that it has for an answer, and the most characters of one. */
const PATIENCE = 30_000;
const LONGEST_ANSWER = 64 * 1024;

/** Connects a namespace by slirp4netns(1). Ports are published by its socket: IPv4 alone, as it knows nothing else. */
export async function startSlirp(program: string, folder: string, setup: UserNetworkSetup): Promise<Carrier> {
  requireKnownProtocols(setup);
  const options = new Map(setup.userNetwork.options.map((option) => option.split(/=(.*)/s) as [string, string]));
  refuseForeign(setup, options);
  const socket = join(folder, "api");
  const log = openSync(join(folder, "log"), "w", 0o600);
  const args = [...slirpArguments(options), "--api-socket", socket, "--ready-fd=3", setup.netns, INTERFACE];
  // A session of its own: it goes on when the server ends. It writes its log to a file, since nobody would read a pipe then.
  // Its sandbox takes mounts away: in a mount namespace of its own nobody else loses them.
  const child = startProgram("unshare", ["--mount", "--propagation=private", program, ...args], {
    cwd: "/",
    env: HELPER_ENVIRONMENT,
    stdio: ["ignore", "ignore", log, "pipe"],
    detached: true,
  });
  const ended = once(child, "exit").then(() => false, () => false);
  closeSync(log);
  child.unref();
  const ready = child.stdio[3]!;
  try {
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    const isReady = await Promise.race([once(ready, "data").then(() => true, () => false), ended]);
    clearTimeout(timer);
    if (!isReady || child.pid === undefined) throw refusedNetwork(setup, await reasonIn(join(folder, "log")));
    const subnet = parseSubnet(options.get("cidr") ?? SUBNET);
    for (const mapping of setup.ports) await publishPort(socket, mapping, addressAt(subnet, CONTAINER), setup);
    const interfaces = await interfacesIn(setup.netns);
    // The gateway leads to the machine's loopback where that is allowed, and nowhere else.
    const isMachine = options.get("allow_host_loopback") === "true";
    for (const link of Object.values(interfaces)) {
      link.addresses = link.addresses.map(({ address, prefix }) => {
        return { address, prefix, ...isMachine && isIPv4(address) && { gateway: addressAt(subnet, GATEWAY) } };
      });
    }
    const dnsServers = setup.dnsServers?.length ? [] : [addressAt(subnet, RESOLVER)];
    return { pid: child.pid, status: { netns: setup.netns, interfaces, dnsServers, searchDomains: [] } };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    ready.destroy();
  }
}

/** The arguments of slirp4netns(1) for options in Podman's words. */
export function slirpArguments(options: ReadonlyMap<string, string>): string[] {
  const outbound = [["outbound_addr", "--outbound-addr"], ["outbound_addr6", "--outbound-addr6"]] as const;
  return [
    ...["--configure", `--mtu=${options.get("mtu") ?? MTU}`, "--enable-sandbox", "--enable-seccomp"],
    ...options.get("allow_host_loopback") === "true" ? [] : ["--disable-host-loopback"],
    ...options.get("enable_ipv6") === "true" ? ["--enable-ipv6"] : [],
    ...options.has("cidr") ? [`--cidr=${options.get("cidr")}`] : [],
    ...outbound.flatMap(([name, flag]) => options.has(name) ? [`${flag}=${options.get(name)}`] : []),
    "--netns-type=path",
  ];
}

/** Refuses work of Podman's own helper, and addresses that slirp4netns cannot listen on. */
function refuseForeign({ ports }: UserNetworkSetup, options: ReadonlyMap<string, string>): void {
  if (options.get("port_handler") === "rootlesskit") {
    const why = "rootlesskit is Podman's own program: leave port_handler out, and slirp4netns publishes the ports";
    throw new EngineError("unsupported", `Set up network "slirp4netns": ${why}`);
  }
  const other = ports.find(({ hostIP }) => isIPv6(hostIP));
  if (other === undefined) return;
  throw new EngineError("unsupported", `Publish ports: slirp4netns listens on no IPv6 address ("${other.hostIP}")`);
}

async function publishPort(
  socket: string,
  mapping: PortMapping,
  target: string,
  setup: UserNetworkSetup,
): Promise<void> {
  for (let index = 0; index < mapping.range; index++) {
    const answer = await askSlirp(socket, {
      execute: "add_hostfwd",
      arguments: {
        proto: mapping.protocol,
        host_addr: mapping.hostIP || "0.0.0.0",
        host_port: mapping.hostPort + index,
        guest_addr: target,
        guest_port: mapping.containerPort + index,
      },
    });
    const { error } = JSON.parse(answer) as { error?: { desc?: string } };
    if (error === undefined) continue;
    const port = { ...mapping, hostPort: mapping.hostPort + index };
    throw refusedNetwork({ ...setup, ports: [port] }, `publish port ${port.hostPort}: ${error.desc ?? answer}`);
  }
}

/** One request, one answer: it closes the connection then. */
async function askSlirp(path: string, request: unknown): Promise<string> {
  const socket = connect(path);
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error("no answer")));
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
    if (answer.length > LONGEST_ANSWER) socket.destroy(new Error("its answer is too long"));
  });
  socket.end(JSON.stringify(request));
  await once(socket, "close");
  return answer;
}

/** The last line of its log, which says why it ended. */
async function reasonIn(log: string): Promise<string> {
  const text = (await readFile(log, "utf8")).slice(-4096);
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").at(-1) ?? "";
}
