/**
 * `containers.conf`: containers.conf(5). Files are read by the caller.
 *
 * @module
 */
import { isObject } from "../oci/json.ts";
import type { ConfSource } from "../oci/registry/registries_conf.ts";
import { parseTOML } from "../oci/registry/toml.ts";
import { parseUlimit } from "./containers/request/parse_ulimit.ts";
import type { ContainerDefaults } from "./records/container_defaults.ts";
import { messageOf } from "../oci/message_of.ts";
import type { SubnetPool } from "./records/network_record.ts";
import { parseByteSize } from "./text/byte_size.ts";
import { parseSubnet } from "./text/ip.ts";
import { LOG_DRIVERS } from "./text/logs/log_drivers.ts";

/** The settings of all files together. */
export interface ContainersConf {
  defaults: ContainerDefaults;
  /** Folders with hooks, where a file names some. */
  hookFolders?: string[];
  /** Folders with files of the Container Device Interface. */
  deviceFolders?: string[];
  /** The pools from which networks get their subnets. */
  subnetPools?: SubnetPool[];
  /** `crun`, `runc` or a path. */
  runtime?: string;
  /** Whether short names are Docker Hub's in Docker's API. */
  dockerHub?: boolean;
  /** Settings of the files that the engine ignores: `FILE: section.key`. */
  ignored: string[];
}

/** The result of reading settings: the defaults, and the fields beside them. */
type Settings =
  & ContainerDefaults
  & Pick<ContainersConf, "hookFolders" | "deviceFolders" | "subnetPools" | "runtime" | "dockerHub">;
type Reader = (value: unknown) => Partial<Settings>;
/** The name of one that holds a T. */
type Name<T> = { [K in keyof Settings]-?: Settings[K] extends T | undefined ? K : never }[keyof Settings];

/** A subnet of fewer addresses has no room for a gateway and a container. */
const LONGEST_PREFIX = 30;

/** Every key that is listened to. */
const READERS: Record<string, Reader> = {
  "containers.annotations": readTable("annotations"),
  "containers.base_hosts_file": readText("baseHosts", /^(?:none|image|\/.*)$/s),
  "containers.cgroup_conf": readTable("cgroupFiles"),
  "containers.cgroupns": readText("cgroupns"),
  "containers.cgroups": readText("cgroups"),
  "containers.container_name_as_hostname": readFlag("nameAsHostname"),
  "containers.default_capabilities": readList("capabilities"),
  "containers.default_sysctls": readTable("sysctl"),
  "containers.default_ulimits": (value) => ({ ulimits: textsOf(value).map(parseUlimit) }),
  "containers.devices": readList("devices"),
  "containers.dns_options": readList("dnsOptions"),
  "containers.dns_searches": readList("dnsSearch"),
  "containers.dns_servers": readList("dnsServers"),
  "containers.env": readTable("env"),
  "containers.env_host": readFlag("envHost"),
  "containers.host_containers_internal_ip": readText("hostAddress", /^(?:none|[0-9a-fA-F.:]+)$/),
  "containers.http_proxy": readFlag("httpProxy"),
  "containers.init": readFlag("init"),
  "containers.init_path": readText("initPath", /^\//),
  "containers.ipcns": readText("ipcns"),
  "containers.log_driver": readText("logDriver", new RegExp(`^(?:${LOG_DRIVERS.join("|")})$`)),
  "containers.log_size_max": readNumber("logSizeMax"),
  "containers.log_tag": readText("logTag"),
  "containers.mounts": readList("mounts"),
  "containers.netns": readText("netns"),
  "containers.no_hosts": readFlag("noHosts"),
  "containers.oom_score_adj": readNumber("oomScoreAdj"),
  "containers.pidns": readText("pidns"),
  "containers.pids_limit": readNumber("pidsLimit"),
  "containers.privileged": readFlag("privileged"),
  "containers.read_only": readFlag("readOnly"),
  "containers.seccomp_profile": readText("seccomp", /^\//),
  // Podman counts in thousands here.
  "containers.shm_size": (value) => ({ shmSize: value === "" ? undefined : parseByteSize(textOf(value), 1000) }),
  "containers.tz": readText("timezone"),
  "containers.umask": readText("umask", /^0?[0-7]{1,4}$/),
  "containers.userns": readText("userns"),
  "containers.utsns": readText("utsns"),
  "containers.volumes": readList("volumes"),
  "engine.cdi_spec_dirs": readList("deviceFolders"),
  "engine.compat_api_enforce_docker_hub": readFlag("dockerHub"),
  "engine.hooks_dir": readList("hookFolders"),
  "engine.image_volume_mode": readText("imageVolumes", /^(?:anonymous|bind|tmpfs|ignore)$/),
  "engine.runtime": readText("runtime", /^(?:crun|runc|\/.*)$/),
  "network.default_subnet_pools": (value) => ({ subnetPools: poolsOf(value) }),
  "secrets.driver": readText("secretDriver", /^(?:file|pass|shell)$/),
  "secrets.opts": (value) => ({ secretOptions: readTexts(value) }),
  "engine.stop_timeout": readNumber("stopTimeout"),
};
/** The settings that have these values in any case: a file that says the same is not reported as ignored. */
const ALREADY: Record<string, unknown> = {
  "containers.keyring": true,
  "containers.label": false,
  "containers.label_users": false,
  "containers.prepare_volume_on_create": false,
  "engine.cgroup_manager": "cgroupfs",
  "engine.network_cmd_path": "",
  "network.network_backend": "netavark",
};

/**
 * Parses `containers.conf` and what comes after it, a later file's keys over an earlier one's; a list with
 * `{append = true}` in it is added to the earlier one.
 *
 * Throws `SyntaxError` naming the file, and the key, for what is not TOML or has a value that cannot be.
 */
export function parseContainersConf(...sources: ConfSource[]): ContainersConf {
  const raw = new Map<string, unknown>();
  const ignored: string[] = [];
  let found: ReturnType<Reader> = {};
  for (const source of sources) {
    for (const [key, value] of settingsOf(source)) {
      const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
      if (read === undefined) {
        if (ALREADY[key] !== value) ignored.push(`${source.name}: ${key}`);
        continue;
      }
      const whole = combineValues(raw.get(key), value);
      raw.set(key, whole);
      found = { ...found, ...attemptKey(source, key, () => read(whole)) };
    }
  }
  const { hookFolders, deviceFolders, subnetPools, runtime, dockerHub, ...defaults } = found;
  return { defaults, hookFolders, deviceFolders, subnetPools, runtime, dockerHub, ignored };
}

/** `section.key` and value; empty tables, lists and texts of keys nobody knows say nothing. */
function settingsOf(source: ConfSource): [string, unknown][] {
  const table = attemptKey(source, undefined, () => parseTOML(source.text));
  return Object.entries(table).flatMap(([section, keys]) => {
    if (!isObject(keys)) return [[section, keys] as [string, unknown]];
    return Object.entries(keys).map(([key, value]): [string, unknown] => [`${section}.${key}`, value]);
  }).filter(([key, value]) => Object.hasOwn(READERS, key) || !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

function attemptKey<T>({ name }: ConfSource, key: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = messageOf(cause);
    const where = key === undefined ? "" : `"${key}": `;
    throw new SyntaxError(`Load containers configuration "${name}": ${where}${why}`, { cause });
  }
}

function combineValues(before: unknown, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const own = value.filter((item) => !(isObject(item) && Object.hasOwn(item, "append")));
  const appends = value.some((item) => isObject(item) && item.append === true);
  return appends && Array.isArray(before) ? [...before, ...own] : own;
}

function readText(name: Name<string>, form?: RegExp): Reader {
  return (value) => {
    const words = textOf(value);
    if (words !== "" && form?.test(words) === false) throw new SyntaxError(`"${words}" is not among its values`);
    return { [name]: words === "" ? undefined : words };
  };
}

function readFlag(name: Name<boolean>): Reader {
  return (value) => {
    if (typeof value !== "boolean") throw new TypeError(`${JSON.stringify(value)} is not true or false`);
    return { [name]: value };
  };
}

function readNumber(name: Name<number>): Reader {
  return (value) => {
    if (!Number.isSafeInteger(value)) throw new TypeError(`${JSON.stringify(value)} is not a whole number`);
    return { [name]: value };
  };
}

function readList(name: Name<string[]>): Reader {
  return (value) => ({ [name]: textsOf(value) });
}

function readTable(name: Name<Record<string, string>>): Reader {
  return (value) => ({ [name]: Object.fromEntries(textsOf(value).map(requirePair)) });
}

function readTexts(value: unknown): Record<string, string> {
  if (!isObject(value)) throw new SyntaxError("it is no table");
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, textOf(item)]));
}

/** Reads pools of subnets. Throws for what is none, and for IPv6, of which every network has a subnet at random. */
function poolsOf(value: unknown): SubnetPool[] {
  if (!Array.isArray(value)) throw new TypeError("it is no list");
  const pools = value.map((item) => {
    if (!isObject(item)) throw new TypeError(`${JSON.stringify(item)} is no table`);
    const base = textOf(item.base);
    const { version, prefix } = parseSubnet(base);
    const { size } = item;
    if (version !== 4) throw new SyntaxError(`"${base}" is no IPv4 subnet`);
    if (typeof size === "number" && Number.isInteger(size) && size >= prefix && size <= LONGEST_PREFIX) {
      return { base, size };
    }
    throw new SyntaxError(`size ${JSON.stringify(size)} of "${base}" is none from ${prefix} to ${LONGEST_PREFIX}`);
  });
  if (pools.length === 0) throw new SyntaxError("it is empty");
  return pools;
}

function requirePair(words: string): [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(words) ?? [];
  if (key === undefined) throw new SyntaxError(`"${words}" is not NAME=VALUE`);
  return [key.trim(), value.trim()];
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError(`${JSON.stringify(value)} is not a text`);
  return value;
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError(`${JSON.stringify(value)} is not a list`);
  return value.map(textOf);
}
