import type { BuildOptions, BuildSandbox, CacheTarget } from "../../lib/engine/build/build_options.ts";
import { parseDevice } from "../../lib/engine/containers/request/parse_device.ts";
import { parseVolume } from "../../lib/engine/containers/request/parse_mounts.ts";
import { parsePlatform } from "../../lib/engine/build/sources/source_image.ts";
import type { RLimit } from "../../lib/engine/records/container_record.ts";
import { cleanLimits } from "../../lib/engine/records/limits.ts";
import { readPairs } from "../../lib/engine/text/pairs.ts";
import { fullLimit } from "../containers/spec/resources.ts";
import { parseMilliseconds } from "../images/push_options.ts";
import { RequestError } from "../request_error.ts";
import type { BuildQuery } from "../wire/builds/build.ts";
import { namespacesOf } from "./build_namespaces.ts";
import { buildSources } from "./build_sources.ts";
import { refuseParameters } from "./refuse_parameters.ts";

const PULL: Record<string, BuildOptions["pull"]> = {
  "": undefined,
  missing: "missing",
  ifmissing: "missing",
  pullifmissing: "missing",
  always: "always",
  pullalways: "always",
  newer: "newer",
  ifnewer: "newer",
  pullifnewer: "newer",
  never: "never",
  pullnever: "never",
};

const FORMATS: Record<string, BuildOptions["format"]> = {
  "": undefined,
  oci: "oci",
  docker: "docker",
  "application/vnd.oci.image.manifest.v1+json": "oci",
  "application/vnd.docker.distribution.manifest.v2+json": "docker",
};

/**
 * Reads a build's parameters, as both trees have them. Throws a `RequestError` that names the parameter.
 *
 * @param isLocal Whether contexts may be folders of this machine
 */
export function buildOptions(query: BuildQuery, isLocal = false): Omit<BuildOptions, "context" | "signal"> {
  refuseParameters(query);
  const { t = [], output = "", target, nocache, rm, forcerm, squash, layers, from, manifest } = query;
  if (layers === false && !squash) {
    throw new RequestError(
      "unsupported",
      'Build image: the parameter "layers" (false) is supported with "squash" only',
      {
        field: "layers",
      },
    );
  }
  const names = [...new Set([...t, output].filter((name) => name !== ""))];
  const { excludes } = query;
  return {
    dockerfiles: dockerfilesOf(query.dockerfile),
    names,
    buildArgs: mapOf("buildargs", query.buildargs),
    labels: labelsOf(query.labels),
    format: chooseWord(FORMATS, "outputformat", query.outputformat ?? ""),
    pull: query.pull ? "always" : chooseWord(PULL, "pullpolicy", (query.pullpolicy ?? "").toLowerCase()),
    noCache: nocache,
    cacheFrom: listOf("cachefrom", query.cachefrom),
    cacheTo: listOf("cacheto", query.cacheto).map(cacheTarget),
    ...query.jobs !== undefined && query.jobs >= 0 && { jobs: query.jobs },
    inOrder: true,
    removes: rm,
    alwaysRemoves: forcerm,
    squash,
    ...timesOf(query),
    ...contentOf(query),
    ...buildSources(query, isLocal),
    ...manifest && { manifest },
    ...target && { target },
    ...from && { from },
    ...excludes !== undefined && { exclude: listOf("excludes", excludes) },
    ...platformsOf(query),
    registry: {
      tlsVerify: query.tlsVerify,
      retries: query.retry,
      ...query["retry-delay"] && { retryDelay: parseMilliseconds("retry-delay", query["retry-delay"]) },
    },
    sandbox: sandboxOf(query),
  };
}

/** Podman sends a lone slash where nobody asked for a platform. */
function platformsOf({ platform = [] }: BuildQuery): Pick<BuildOptions, "platform" | "platforms"> {
  const texts = platform.flatMap((text) => text.toLowerCase().split(",")).filter((text) => !/^\/*$/.test(text));
  const [first, ...more] = [...new Set(texts)].map((text) => parsePlatform(text));
  if (first === undefined) return {};
  return more.length === 0 ? { platform: first } : { platforms: [first, ...more] };
}

/** With `timestamp` all files are of that time; with the other parameter those that are later, where they are to be rewritten. */
function timesOf(
  { timestamp, sourcedateepoch, rewritetimestamp, cachettl = "" }: BuildQuery,
): Pick<BuildOptions, "timestamp" | "rewriteTimes" | "cacheTTL"> {
  const isAll = timestamp !== undefined && sourcedateepoch === undefined;
  const age = cachettl === "" ? 0 : parseMilliseconds("cachettl", cachettl);
  return {
    timestamp: sourcedateepoch ?? timestamp,
    ...isAll ? { rewriteTimes: "all" } : rewritetimestamp ? { rewriteTimes: "later" } : {},
    ...age > 0 && { cacheTTL: age },
  };
}

/** The parameters that change what is in the image besides its files. */
function contentOf(query: BuildQuery): Partial<BuildOptions> {
  const { setenv = [], unsetenv = [], unsetlabel = [], inheritlabels, omithistory, osversion, osfeature = [] } = query;
  const annotations = readPairs(listOf("annotations", query.annotations));
  return {
    annotations,
    env: readPairs(setenv.filter((text) => text.includes("="))),
    unsetEnv: unsetenv,
    dropLabels: inheritlabels === false ? true : unsetlabel,
    omitHistory: omithistory,
    ...osversion && { osVersion: osversion },
    osFeatures: osfeature.filter((feature) => feature !== ""),
  };
}

/** Podman's clients send all steps to a repository, and refuse a tag themselves. */
function cacheTarget(name: string): CacheTarget {
  if (!/[:@][^/]*$/.test(name)) return { name, all: true };
  throw new RequestError(
    "malformed",
    `failed to parse "cacheto": "${name}": repository must contain neither a tag nor digest`,
    { field: "cacheto" },
  );
}

function sandboxOf(query: BuildQuery): BuildSandbox {
  const { cgroupparent, nohosts, httpproxy, shmsize, seccomp, apparmor, groupadd, devices, volume } = query;
  const noNewPrivileges = (query.securityopt ?? []).flatMap((text) => listOf("securityopt", text)).map((option) => {
    if (/^no-new-privileges(?:[:=]true)?$/.test(option)) return true;
    throw new RequestError("unsupported", `Build image: the security option "${option}" is not supported`, {
      field: "securityopt",
    });
  });
  return {
    ...networkOf(query),
    ...namespacesOf(query.nsoptions),
    ...resourcesOf(query),
    hosts: (query.extrahosts ?? []).flatMap((text) => listOf("extrahosts", text)),
    dnsServers: listOf("dnsservers", query.dnsservers),
    dnsSearch: listOf("dnssearch", query.dnssearch),
    dnsOptions: listOf("dnsoptions", query.dnsoptions),
    capAdd: listOf("addcaps", query.addcaps),
    capDrop: listOf("dropcaps", query.dropcaps),
    rlimits: listOf("ulimits", query.ulimits).map(ulimitOf),
    ...cgroupparent && { cgroupParent: cgroupparent },
    ...nohosts !== undefined && { noHosts: nohosts },
    ...httpproxy !== undefined && { httpProxy: httpproxy },
    ...shmsize && { shmSize: shmsize },
    ...seccomp && { seccomp },
    ...noNewPrivileges.length > 0 && { noNewPrivileges: true },
    ...apparmor && { apparmor },
    groups: (groupadd ?? []).flatMap((text) => listOf("groupadd", text)),
    devices: listOf("devices", devices).map(parseDevice),
    mounts: (volume ?? []).flatMap((text) => listOf("volume", text)).map(parseVolume),
  };
}

/** Docker's words, and Podman's numbers: 0 is the default, 1 none, 2 one. */
function networkOf({ networkmode = "" }: BuildQuery): Pick<BuildSandbox, "network" | "networks"> {
  switch (networkmode) {
    case "":
    case "default":
    case "bridge":
    case "0":
    case "2":
      return {};
    case "none":
    case "1":
      return { network: { mode: "none" } };
    case "host":
      return { network: { mode: "host" } };
  }
  if (networkmode.startsWith("container:")) {
    return { network: { mode: "container", value: networkmode.slice("container:".length) } };
  }
  return { network: { mode: "bridge" }, networks: { [networkmode]: {} } };
}

function resourcesOf(query: BuildQuery): Pick<BuildSandbox, "resources"> {
  const { memory, memswap, cpuperiod, cpuquota, cpushares, cpusetcpus, cpusetmems } = query;
  const limits = {
    memory: { ...memory && { limit: memory }, ...memswap && { swap: memswap } },
    cpu: {
      ...cpuperiod && { period: cpuperiod },
      ...cpuquota && { quota: cpuquota },
      ...cpushares && { shares: cpushares },
      ...cpusetcpus && { cpus: cpusetcpus },
      ...cpusetmems && { mems: cpusetmems },
    },
  };
  return { resources: cleanLimits(limits) };
}

/** `nofile=1024:2048`, or an object as Docker sends it. */
function ulimitOf(text: string): RLimit {
  const [, name, soft, hard = soft] = /^([a-z]+)=(-?\d{1,20})(?::(-?\d{1,20}))?$/.exec(text) ?? [];
  if (name === undefined) throw new RequestError("malformed", `failed to parse "ulimits": "${text}" is no limit`);
  const [first, second] = [soft, hard].map((word) => BigInt(word) < 0n ? 2n ** 64n - 1n : BigInt(word));
  return fullLimit({ type: name, soft: first, hard: second });
}

function dockerfilesOf(text = ""): string[] {
  const list = text.startsWith("[") ? listOf("dockerfile", text) : [text];
  const names = list.filter((name) => name !== "").map((name) => name.replace(/^(?:\.?\/)+/, ""));
  return names.length === 0 ? ["Dockerfile"] : names;
}

/** A JSON list, or a word alone. Docker's limits are objects. */
function listOf(name: string, text = ""): string[] {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return [];
  if (!trimmed.startsWith("[")) return [trimmed];
  const value = parseJSON(name, trimmed);
  if (!Array.isArray(value)) throw malformedParameter(name, "a JSON list of texts");
  return value.map((item: unknown) => {
    if (typeof item === "string") return item;
    if (typeof item === "object" && item !== null && "Name" in item && "Soft" in item && "Hard" in item) {
      return `${item.Name}=${item.Soft}:${item.Hard}`;
    }
    throw malformedParameter(name, "a JSON list of texts");
  });
}

/** A JSON map of texts; a value of null asks for none. */
function mapOf(name: string, text = ""): Record<string, string> {
  if (text.trim() === "") return {};
  const value = parseJSON(name, text);
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw malformedParameter(name, "a JSON map of texts");
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  if (!entries.every(([, item]) => typeof item === "string")) throw malformedParameter(name, "a JSON map of texts");
  return Object.fromEntries(entries.map(([key, item]) => [key, String(item)]));
}

/** Docker sends a map, and Podman a list of `name=value`. */
function labelsOf(text = ""): Record<string, string> {
  if (!text.trim().startsWith("[")) return mapOf("labels", text);
  return readPairs(listOf("labels", text));
}

function parseJSON(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedParameter(name, "JSON");
  }
}

function chooseWord<T>(table: Record<string, T>, name: string, word: string): T {
  if (Object.hasOwn(table, word)) return table[word];
  throw new RequestError("malformed", `failed to parse "${name}": "${word}" is not known`, { field: name });
}

function malformedParameter(name: string, what: string): RequestError {
  return new RequestError("malformed", `failed to parse "${name}": it is not ${what}`, { field: name });
}
