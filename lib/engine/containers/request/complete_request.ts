import { emptySpec } from "../../records/empty_spec.ts";
import type { ContainerDefaults } from "../../records/container_defaults.ts";
import type { ContainerSpec } from "../../records/container_record.ts";
import { plainName } from "../../text/names.ts";
import { chooseFiles } from "./choose_files.ts";
import { chooseLimits } from "./choose_limits.ts";
import { chooseNamespaces } from "./choose_namespaces.ts";
import type { ContainerRequest } from "./container_request.ts";

/** A spec without the fields that are chosen by the namespaces. */
type Partly = ContainerRequest & Pick<ContainerSpec, "namespaces" | "privileged">;

/**
 * Completes a create request: fields that it leaves out are as the machine's owner chose (containers.conf(5)), then as the engine
 * has them. The owner's lists come before the request's. Settings of the request, `false` and `host` among them, always stay.
 *
 * Throws `invalid` or `unsupported` for choices of the owner that cannot be.
 */
export function completeRequest(request: ContainerRequest, owner: ContainerDefaults): ContainerSpec {
  // Other fields go by the namespaces, and devices by privileges.
  const chosen = { ...request, ...chooseNamespaces(request, owner) };
  const partly = { ...chosen, privileged: request.privileged ?? owner.privileged ?? false };
  return {
    ...plainFields(partly),
    name: request.name === undefined ? undefined : plainName(request.name),
    ...chooseProcess(partly, owner),
    ...chooseFiles(partly, owner),
    ...chooseNetworkFiles(partly, owner),
    ...chooseLimits(partly, owner),
    ...chooseLog(partly, owner),
  };
}

/** The fields that no owner chooses: those that the request has, and a spec's that asks for nothing. */
function plainFields(request: Partly): ContainerSpec {
  const given: Partly = { ...request };
  for (const [name, value] of Object.entries(request)) if (value === undefined) Reflect.deleteProperty(given, name);
  return { ...emptySpec(), ...given };
}

function chooseProcess(r: Partly, owner: ContainerDefaults) {
  // An init has to be the first process there is, and systemd is one.
  const mayInit = r.namespaces.pid.mode === "private" && r.systemd !== "always";
  return {
    annotations: { ...owner.annotations, ...r.annotations },
    envHost: (r.envHost ?? owner.envHost) || undefined,
    // Only a refusal is kept: the variables come in any other case.
    httpProxy: (r.httpProxy ?? owner.httpProxy) === false ? false : undefined,
    init: r.init ?? (mayInit ? owner.init : undefined) ?? false,
    initPath: r.initPath || owner.initPath,
    seccomp: r.seccomp || owner.seccomp,
    stopTimeout: r.stopTimeout ?? owner.stopTimeout,
    sysctl: { ...ownSysctls(r, owner.sysctl), ...r.sysctl },
    timezone: r.timezone || owner.timezone,
    umask: r.umask || owner.umask,
  };
}

const PING = "net.ipv4.ping_group_range";

/** Returns the owner's sysctls that the kernel keeps apart for this container; its neighbours share the others. */
function ownSysctls({ namespaces: { network, ipc, uts } }: Partly, asked: Record<string, string> | undefined) {
  if (asked === undefined) return {};
  const isOwn = ({ mode }: { mode: string }) => !["host", "container", "path"].includes(mode);
  const isApart = (name: string) =>
    name.startsWith("net.")
      ? isOwn(network)
      : name.startsWith("fs.mqueue.")
      ? isOwn(ipc)
      : !/^kernel\.(?:domainname|hostname)$/.test(name) || isOwn(uts);
  // 0 0 is what every container has, or more where it is Docker's; 1 0 is the kernel's own, for a list that leaves it out.
  const { [PING]: ping = "1 0", ...others } = asked;
  const all = ping === "0 0" ? others : { ...others, [PING]: ping };
  return Object.fromEntries(Object.entries(all).filter(([name]) => isApart(name)));
}

function chooseNetworkFiles(r: Partly, owner: ContainerDefaults) {
  const { dnsServers = [], dnsSearch = [], dnsOptions = [], hosts = [] } = r;
  const asksNothing = dnsServers.length + dnsSearch.length + dnsOptions.length === 0;
  const noResolvConf = r.noResolvConf ?? (asksNothing && owner.dnsServers?.[0] === "none");
  const ownerServers = (owner.dnsServers ?? []).filter((server) => server !== "none");
  return {
    baseHosts: r.baseHosts || owner.baseHosts,
    // Entries that are asked for need the file.
    noHosts: r.noHosts ?? (hosts.length > 0 ? undefined : owner.noHosts) ?? false,
    noResolvConf,
    dnsServers: noResolvConf ? dnsServers : [...ownerServers, ...dnsServers],
    dnsSearch: noResolvConf ? dnsSearch : [...owner.dnsSearch ?? [], ...dnsSearch],
    dnsOptions: noResolvConf ? dnsOptions : [...owner.dnsOptions ?? [], ...dnsOptions],
  };
}

function chooseLog({ logDriver, logSizeMax, logOptions }: Partly, owner: ContainerDefaults) {
  const driver = logDriver || owner.logDriver;
  const tag: Record<string, string> = driver === "journald" && owner.logTag !== undefined ? { tag: owner.logTag } : {};
  const most = driver !== "none" && (owner.logSizeMax ?? 0) > 0 ? owner.logSizeMax : undefined;
  return { logDriver: driver, logSizeMax: logSizeMax || most, logOptions: { ...tag, ...logOptions } };
}
