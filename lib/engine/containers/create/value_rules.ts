import type { ContainerSpec } from "../../records/container_record.ts";
import type { FieldError } from "../../errors.ts";
import { isPrintable } from "../../../oci/printable.ts";
import { parseInterfaceSetting } from "../../text/interface_setting.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { linkLocalPrefix, parseAddress } from "../../text/ip.ts";
import { parseUmask } from "../../text/umask.ts";
import { invalidField } from "../failures.ts";

/** A rule: returns the error where it is broken, or its text where that names no field. */
export type Rule = (spec: ContainerSpec) => FieldError | string | false | undefined;

/** The limits of processes there are (getrlimit(2)). */
const RLIMITS = new Set(
  "AS CORE CPU DATA FSIZE LOCKS MEMLOCK MSGQUEUE NICE NOFILE NPROC RSS RTPRIO RTTIME SIGPENDING STACK".split(" "),
);
/** The kernel's settings that exist once per IPC or UTS namespace; so do all below `net.` and `fs.mqueue.`. */
const SYSCTLS = new Set(
  "kernel.msgmax kernel.msgmnb kernel.msgmni kernel.sem kernel.shmall kernel.shmmax kernel.shmmni kernel.shm_rmid_forced kernel.domainname"
    .split(" "),
);
const MAX_SECONDS = 2 ** 31 - 1;
/** Bytes of an interface's name, without its end. */
const INTERFACE_NAME = 15;

/** Values that no kernel, runtime or file takes, in Podman's words where it has some; else the error names the field. */
export const VALUE_RULES: readonly Rule[] = [
  ({ oomScoreAdj: score = 0 }) =>
    !(score >= -1000 && score <= 1000) &&
    invalidField("oomScoreAdj", (name) => `"${name}" ${score} is not between -1000 and 1000`),
  ({ umask }) =>
    umask !== undefined && parseUmask(umask) === undefined && `invalid umask string ${umask}: invalid argument`,
  ({ shmSize = 0 }) => shmSize < 0 && invalidField("shmSize", (name) => `"${name}" ${shmSize} is less than 0`),
  ({ rootfs, treeLimit }) =>
    treeLimit !== undefined && rootfs?.overlay === false &&
    invalidField("treeLimit", (name) => `"${name}" limits what is written to a tree, not a folder of the host`),
  ({ timeout = 0 }) =>
    timeout > MAX_SECONDS &&
    invalidField("timeout", (name) => `"${name}" ${timeout} is more than ${MAX_SECONDS} seconds`),
  ({ dnsServers }) => {
    const server = dnsServers.find((text) => !isAddress(text));
    return server !== undefined && `"${server}" is not an ip address`;
  },
  ({ hosts }) => {
    const address = hosts.map((text) => text.slice(text.indexOf(":") + 1)).find((text) =>
      text !== "host-gateway" && !isAddress(text)
    );
    return address !== undefined && `invalid IP address in add-host: "${address}"`;
  },
  ({ rlimits }) => {
    const unknown = rlimits.find(({ type }) => !RLIMITS.has(type.replace(/^RLIMIT_/, "")));
    if (unknown !== undefined) return `invalid ulimit type: ${unknown.type.replace(/^RLIMIT_/, "").toLowerCase()}`;
    const crossed = rlimits.find(({ soft, hard }) => soft > hard);
    return crossed && `ulimit soft limit must be less than or equal to hard limit: ${crossed.soft} > ${crossed.hard}`;
  },
  ({ resources: { memory } }) =>
    (memory?.limit ?? 0) < -1 &&
    invalidField("resources.memory.limit", (name) => `"${name}" ${memory?.limit} is less than 0`),
  ({ deviceRules = [], resources: { devices = [] } }) => {
    const bad = [...deviceRules, ...devices].find(({ type = "a", access = "" }) =>
      !/^[abcpu]$/.test(type) || !/^[rwm]*$/.test(access)
    );
    return bad &&
      `invalid device cgroup rule "${bad.type ?? "a"} ${bad.major ?? "*"}:${bad.minor ?? "*"} ${bad.access}"`;
  },
  ({ sysctl }) => {
    const name = Object.keys(sysctl).find((text) => !SYSCTLS.has(text) && !/^(?:net|fs\.mqueue)\./.test(text));
    return name !== undefined && `sysctl '${name}' is not allowed`;
  },
  sysctlOfOthers,
  ({ env }) => {
    const name = Object.entries(env).find(([, value]) => value.includes("\0"))?.[0];
    return name !== undefined && `environment variable "${name}" contains a NUL byte`;
  },
  ({ masks }) => {
    const path = masks.flatMap((text) => text.split(":")).find((text) => !text.startsWith("/"));
    return path !== undefined && invalidField("masks", (name) => `"${name}" "${path}" is not an absolute path`);
  },
  ({ exposed }) => {
    const port = exposed.find((text) => !isPort(text));
    return port !== undefined && invalidField("exposed", (name) => `"${name}" "${port}" is no port`);
  },
  ({ networks }) => {
    const names = Object.values(networks).flatMap(({ interfaceName }) => interfaceName ? [interfaceName] : []);
    return names.map(interfaceFault).find((fault) => fault !== undefined);
  },
  ({ networks }) => {
    const asked = Object.values(networks).flatMap(({ interfaceSettings = [] }) => interfaceSettings);
    return asked.map(settingFault).find((fault) => fault !== undefined);
  },
  ({ networks }) => {
    const mac = Object.values(networks).map(({ mac }) => mac).find((text) => text && !isMAC(text));
    return mac && `address ${mac}: invalid MAC address`;
  },
  ({ networks }) => {
    const asked = Object.values(networks).flatMap(({ linkLocalIPs = [] }) => linkLocalIPs);
    const address = asked.find((text) => linkLocalPrefix(text) === undefined);
    return address !== undefined && `invalid link local IP address: ${address}`;
  },
  ({ networks }) => {
    const alias = Object.values(networks).flatMap(({ aliases = [] }) => aliases).find((text) =>
      !/^[^\s\0,]+$/.test(text)
    );
    return alias !== undefined && `invalid network alias "${alias}"`;
  },
  // Last: the others have words of their own.
  lineOfMany,
];

/**
 * Checks the values that become a line, a word or a column of a file that others read: /etc/hosts, passwd, group and resolv.conf,
 * the names of the DNS server, the journal's fields. Each must be one line, and must not steer a terminal that shows it. Returns
 * the error's text, if any.
 */
function lineOfMany(spec: ContainerSpec): FieldError | undefined {
  const endpoints = Object.values(spec.networks);
  const fields: [field: string, texts: readonly (string | undefined)[]][] = [
    ["hostname", [spec.hostname]],
    ["hosts", spec.hosts],
    ["dnsSearch", spec.dnsSearch],
    ["dnsOptions", spec.dnsOptions],
    ["passwdEntry", [spec.passwdEntry]],
    ["groupEntry", [spec.groupEntry]],
    ["user", [spec.user]],
    ["groups", spec.groups],
    ["cgroupParent", [spec.cgroupParent]],
    ["sysctl", Object.entries(spec.sysctl).map(([name, value]) => name + value.replaceAll(/[\t\n]/g, ""))],
    ["logOptions", Object.values(spec.logOptions)],
    ["networks", endpoints.flatMap(({ aliases = [], interfaceName }) => [...aliases, interfaceName])],
  ];
  const broken = fields.find(([, texts]) => !texts.every((text = "") => isPrintable(text)));
  const fault = "has a control character, or one that changes the direction of text";
  return broken && invalidField(broken[0], (name) => `"${name}" ${fault}`);
}

/** Settings of a namespace that is somebody else's too. */
function sysctlOfOthers({ sysctl, namespaces: { ipc, network, uts } }: ContainerSpec): string | undefined {
  const kinds = [
    ["IPC", ipc, /^(?:fs\.mqueue\.|kernel\.(?:msg|sem|shm))/],
    ["Network", network, /^net\./],
    ["UTS", uts, /^kernel\.domainname$/],
  ] as const;
  for (const [kind, { mode }, names] of kinds) {
    if (mode !== "host") continue;
    const found = Object.entries(sysctl).find(([name]) => names.test(name));
    if (found !== undefined) {
      return `sysctl ${found.join("=")} can't be set since ${kind} Namespace set to host: invalid argument`;
    }
  }
  return undefined;
}

function interfaceFault(name: string): string | undefined {
  if (new TextEncoder().encode(name).length > INTERFACE_NAME) {
    return `interface name is too long: interfaces names must be ${INTERFACE_NAME} characters or less: ${name}`;
  }
  if (name === "." || name === "..") return "interface name cannot be . or ..";
  return /[/:\s\0]/.test(name) ? "interface name cannot contain / or : or whitespace characters" : undefined;
}

function settingFault(text: string): string | undefined {
  try {
    parseInterfaceSetting(text);
  } catch (error) {
    return messageOf(error);
  }
}

function isAddress(text: string): boolean {
  try {
    // An address of one link names its interface.
    parseAddress(text.replace(/^(fe80:[^%]*)%[^%\s]+$/i, "$1"));
    return true;
  } catch {
    return false;
  }
}

function isPort(text: string): boolean {
  const number = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/\w+)?$/.exec(text);
  return number !== null && [number[1], number[2] ?? "1"].every((part) => Number(part) > 0 && Number(part) < 65536);
}

function isMAC(text: string): boolean {
  return /^[0-9a-f]{1,2}(?:[:-][0-9a-f]{1,2}){5}$/i.test(text);
}
