/**
 * The flags of `podman run`, podman-run(1), as fields of a request.
 *
 * @module
 */
import type { MemberRequest } from "../../containers/request/container_request.ts";
import { parseDevices } from "../../containers/request/parse_device.ts";
import { parseSecurityOptions } from "../../containers/request/parse_security.ts";
import { parseUlimit } from "../../containers/request/parse_ulimit.ts";
import type { PullPolicy, RegistryAccess } from "../../images/types.ts";
import { parsePort } from "../../kube/play/pod_network.ts";
import type { Limits } from "../../records/limits.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import { parseDuration } from "../../text/duration.ts";
import { parseSignal } from "../../text/signals.ts";
import { readPairs } from "../../text/pairs.ts";
import { type FlagTable, ignoreFlag, readNumber, takeLast, takeSwitch } from "./flag_table.ts";
import { HEALTH_FLAGS } from "./health_flags.ts";
import { MOUNT_FLAGS } from "./mount_flags.ts";
import { NAMESPACE_FLAGS, type PlaceWords } from "./namespace_flags.ts";

/** A container on its way from a command to a request. */
export interface ContainerDraft extends PlaceWords {
  request: MemberRequest;
  /** When its image is pulled. */
  pull: PullPolicy;
  registry: RegistryAccess;
  /** Files of the host with variables, which those of the request come before. */
  envFiles: string[];
  logDriver?: string;
  logOptions: string[];
}

type Table = FlagTable<ContainerDraft>;

/** Flags that the engine's own ways make needless: it names, replaces and removes containers of units itself. */
const OWN: Table = {
  ...{ name: takeLast(({ request }, value) => void (request.name = value)), replace: ignoreFlag({ isSwitch: true }) },
  ...{ rm: ignoreFlag({ isSwitch: true }), detach: ignoreFlag({ letter: "d", isSwitch: true }) },
};

const PROCESS: Table = {
  entrypoint: takeLast(({ request }, value) => void (request.entrypoint = readEntrypoint(value))),
  env: {
    letter: "e",
    apply: ({ request }, values) => {
      const bare = values.find((value) => !value.includes("="));
      // The caller's own environment is nobody's here.
      if (bare !== undefined) throw new SyntaxError(`"${bare}" has no value`);
      request.env = { ...request.env, ...readPairs(values) };
    },
  },
  "env-file": { apply: (draft, values) => void draft.envFiles.push(...values) },
  "env-host": takeSwitch(({ request }, isOn) => void (request.envHost = isOn)),
  "http-proxy": takeSwitch(({ request }, isOn) => void (request.httpProxy = isOn)),
  user: takeLast(({ request }, value) => void (request.user = value), "u"),
  "group-add": { apply: ({ request }, values) => void (request.groups = values) },
  workdir: takeLast(({ request }, value) => void (request.workdir = value), "w"),
  hostname: takeLast(({ request }, value) => void (request.hostname = value), "h"),
  tz: takeLast(({ request }, value) => void (request.timezone = value)),
  umask: takeLast(({ request }, value) => void (request.umask = value)),
  init: takeSwitch(({ request }, isOn) => void (request.init = isOn)),
  tty: takeSwitch(({ request }, isOn) => void (request.terminal = isOn), "t"),
  interactive: takeSwitch(({ request }, isOn) => void (request.stdin = isOn), "i"),
  systemd: takeLast(({ request }, value) => void (request.systemd = readSystemd(value))),
  "stop-signal": takeLast(({ request }, value) => void (request.stopSignal = parseSignal(value))),
  "stop-timeout": takeLast(({ request }, value) => void (request.stopTimeout = readNumber(value))),
  timeout: takeLast(({ request }, value) => void (request.timeout = readNumber(value))),
  sdnotify: takeLast(({ request }, value) => void (request.sdNotify = readNotify(value))),
  label: {
    letter: "l",
    apply: ({ request }, values) => void (request.labels = { ...request.labels, ...readPairs(values) }),
  },
  annotation: { apply: ({ request }, values) => void (request.annotations = readPairs(values)) },
};

const SECURITY: Table = {
  "cap-add": { apply: ({ request }, values) => void (request.capAdd = values) },
  "cap-drop": { apply: ({ request }, values) => void (request.capDrop = values) },
  privileged: takeSwitch(({ request }, isOn) => void (request.privileged = isOn)),
  "read-only": takeSwitch(({ request }, isOn) => void (request.readOnly = isOn)),
  "read-only-tmpfs": takeSwitch(({ request }, isOn) => void (request.readWriteTmpfs = isOn)),
  "security-opt": {
    apply: ({ request }, values) => {
      const { masks, unmasks, labels, ...others } = parseSecurityOptions(values);
      const paths = (lists: string[]) => lists.flatMap((list) => list.split(":"));
      const plain = labels.filter((label) => label !== "nested");
      Object.assign(request, others);
      if (masks.length > 0) request.masks = paths(masks);
      if (unmasks.length > 0) request.unmasks = paths(unmasks);
      if (plain.length > 0) request.selinux = plain;
      if (plain.length < labels.length) request.labelNested = true;
    },
  },
};

const LIMITS: Table = {
  memory: takeLast((draft, value) => addLimits(draft, { memory: { limit: parseByteSize(value) } }), "m"),
  "memory-reservation": takeLast((draft, value) => addLimits(draft, { memory: { reservation: parseByteSize(value) } })),
  "memory-swap": takeLast((draft, value) =>
    addLimits(draft, { memory: { swap: value === "-1" ? -1 : parseByteSize(value) } })
  ),
  "pids-limit": takeLast((draft, value) => addLimits(draft, { pids: { limit: readNumber(value) } })),
  cpus: takeLast((draft, value) =>
    addLimits(draft, { cpu: { period: 100_000, quota: Math.round(readShare(value) * 1e5) } })
  ),
  "cpu-shares": takeLast((draft, value) => addLimits(draft, { cpu: { shares: readNumber(value) } }), "c"),
  "cpuset-cpus": takeLast((draft, value) => addLimits(draft, { cpu: { cpus: value } })),
  "cpuset-mems": takeLast((draft, value) => addLimits(draft, { cpu: { mems: value } })),
  "shm-size": takeLast(({ request }, value) => void (request.shmSize = parseByteSize(value))),
  "oom-score-adj": takeLast(({ request }, value) => void (request.oomScoreAdj = readNumber(value))),
  ulimit: { apply: ({ request }, values) => void (request.rlimits = values.map(parseUlimit)) },
  sysctl: { apply: ({ request }, values) => void (request.sysctl = readPairs(values)) },
  device: { apply: ({ request }, values) => void Object.assign(request, parseDevices(values)) },
  "cgroup-parent": takeLast(({ request }, value) => void (request.cgroupParent = value)),
};

const NETWORK: Table = {
  publish: { letter: "p", apply: ({ request }, values) => void (request.ports = values.flatMap(parsePort)) },
  "publish-all": takeSwitch(({ request }, isOn) => void (request.publishImagePorts = isOn), "P"),
  expose: { apply: ({ request }, values) => void (request.exposed = values) },
  dns: { apply: ({ request }, values) => void (request.dnsServers = values) },
  "dns-option": { apply: ({ request }, values) => void (request.dnsOptions = values) },
  "dns-search": { apply: ({ request }, values) => void (request.dnsSearch = values) },
  "add-host": { apply: ({ request }, values) => void (request.hosts = values) },
  "no-hosts": takeSwitch(({ request }, isOn) => void (request.noHosts = isOn)),
  pod: takeLast(({ request }, value) => void (request.pod = value)),
};

const IMAGE: Table = {
  pull: takeLast((draft, value) => void (draft.pull = readPullPolicy(value))),
  retry: takeLast(({ registry }, value) => void (registry.retries = readNumber(value))),
  "retry-delay": takeLast(({ registry }, value) => void (registry.retryDelay = parseDuration(value))),
  "tls-verify": takeSwitch(({ registry }, isOn) => void (registry.tlsVerify = isOn)),
};

const LOG: Table = {
  "log-driver": takeLast((draft, value) => void (draft.logDriver = value)),
  "log-opt": { apply: ({ logOptions }, values) => void logOptions.push(...values) },
};

/** The flags of a container that a unit runs. */
export const CONTAINER_FLAGS: Table = {
  ...OWN,
  ...PROCESS,
  ...SECURITY,
  ...LIMITS,
  ...NETWORK,
  ...IMAGE,
  ...LOG,
  ...HEALTH_FLAGS,
  ...MOUNT_FLAGS,
  ...NAMESPACE_FLAGS,
};

/** Reads a pull policy. Throws `SyntaxError`. */
export function readPullPolicy(value: string): PullPolicy {
  if (value === "always" || value === "missing" || value === "newer" || value === "never") return value;
  // Podman takes booleans too.
  if (value === "true") return "always";
  if (value === "false" || value === "ifnotpresent") return "missing";
  throw new SyntaxError(`"${value}" is none of always, missing, newer and never`);
}

function readEntrypoint(value: string): string[] {
  if (value === "") return [""];
  if (!value.startsWith("[")) return [value];
  const words: unknown = JSON.parse(value);
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  throw new SyntaxError(`"${value}" is no list of words`);
}

function readSystemd(value: string): MemberRequest["systemd"] {
  if (value === "always" || value === "false") return value;
  if (value === "true") return undefined;
  throw new SyntaxError(`"${value}" is none of true, false and always`);
}

function readNotify(value: string): MemberRequest["sdNotify"] {
  if (value === "container" || value === "conmon" || value === "healthy" || value === "ignore") return value;
  throw new SyntaxError(`"${value}" is none of container, conmon, healthy and ignore`);
}

function readShare(value: string): number {
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(value)) return Number(value);
  throw new SyntaxError(`"${value}" is not a number of processors`);
}

function addLimits({ request }: ContainerDraft, { memory, cpu, pids }: Limits): void {
  const { resources = {} } = request;
  request.resources = {
    ...resources,
    ...memory && { memory: { ...resources.memory, ...memory } },
    ...cpu && { cpu: { ...resources.cpu, ...cpu } },
    ...pids && { pids },
  };
}
