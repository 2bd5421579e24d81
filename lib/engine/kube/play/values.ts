/**
 * The values of variables and files of containers.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import type { Amounts, ContainerPlan, EnvFromPlan, EnvValue } from "../pod_plan.ts";
import { divideQuantity } from "../read/quantity.ts";
import type { KeyValues } from "../read/read_objects.ts";
import type { ValueSources } from "./play_options.ts";

/** The facts of a pod that its containers can be told. */
export interface PodIdentity {
  id: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  /** The machine's name, memory in bytes and processors. */
  machine: { name: string; memory: number; cpus: number };
}

/** Returns the environment of a container. Throws `invalid` for a config map, secret or key that is not there and must be. */
export async function resolveEnv(
  { env, envFrom, amounts }: Pick<ContainerPlan, "env" | "envFrom" | "amounts">,
  pod: PodIdentity,
  sources: ValueSources,
): Promise<Record<string, string>> {
  const variables = new Map<string, string>();
  for (const from of envFrom) {
    for (const [key, value] of await allKeys(from, sources)) variables.set(from.prefix + key, decodeValue(value));
  }
  for (const { name, value, place } of env) {
    const text = await resolveValue(value, { pod, amounts, sources }, `${place}: cannot set env ${name}`);
    if (text === undefined) continue;
    variables.set(name, value.kind === "text" ? expandReferences(text, variables) : text);
  }
  return Object.fromEntries(variables);
}

/** Replaces `$(NAME)` by the variable's value, as Kubernetes does; `$$` is a `$`, and an unknown variable stays as it is written. */
export function expandReferences(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$(?:(\$)|\(([^()]*)\))/g, (whole, dollar, name) => {
    return dollar ?? variables.get(name) ?? whole;
  });
}

/** The places that a value may come from. */
export interface ValueContext {
  pod: PodIdentity;
  amounts: Amounts;
  sources: ValueSources;
}

/** Returns a value as text; `undefined` for an optional one that is not there. */
export async function resolveValue(
  value: EnvValue,
  { pod, amounts, sources }: ValueContext,
  place: string,
): Promise<string | undefined> {
  switch (value.kind) {
    case "text":
      return value.text;
    case "field":
      return fieldOf(pod, value.path);
    case "resource":
      return String(divideQuantity(amountOf(value.resource, amounts, pod), value.divisor));
    default: {
      const { kind, name, key, optional } = value;
      const found = (await valuesOf(kind, name, sources))?.get(key);
      if (found !== undefined) return decodeValue(found);
      if (optional) return undefined;
      throw new EngineError("invalid", `${place}: ${await whyMissing(kind, name, key, sources)}`);
    }
  }
}

/** Returns all values of a config map or secret; `undefined` where there is none. */
export async function valuesOf(
  kind: "configMap" | "secret",
  name: string,
  sources: ValueSources,
): Promise<KeyValues | undefined> {
  return kind === "configMap" ? sources.configMaps.get(name) : await sources.secret(name);
}

async function whyMissing(kind: "configMap" | "secret", name: string, key: string, sources: ValueSources) {
  const isThere = await valuesOf(kind, name, sources) !== undefined;
  if (kind === "configMap") {
    return isThere ? `key ${key} not found in configmap ${name}` : `configmap ${name} not found`;
  }
  return isThere ? `secret ${name} has not ${key} key` : `no secret with name or id "${name}": no such secret`;
}

async function allKeys({ kind, name, optional, place }: EnvFromPlan, sources: ValueSources): Promise<KeyValues> {
  const values = await valuesOf(kind, name, sources);
  if (values !== undefined) return values;
  if (optional) return new Map();
  const why = kind === "configMap"
    ? `configmap ${name} not found`
    : `no secret with name or id "${name}": no such secret`;
  throw new EngineError("invalid", `${place}: ${why}`);
}

/** Environments are text. */
function decodeValue(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

function fieldOf(pod: PodIdentity, path: string): string {
  const [, list, key] = /^metadata\.(labels|annotations)(?:\['([^']+)'\])?$/.exec(path) ?? [];
  if (list === "labels" || list === "annotations") {
    const all = pod[list];
    if (key !== undefined) return Object.hasOwn(all, key) ? all[key] : "";
    return Object.entries(all).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join("");
  }
  switch (path) {
    case "metadata.name":
      return pod.name;
    case "metadata.uid":
      return pod.id;
    case "spec.nodeName":
      return pod.machine.name;
    default:
      // The namespace, and the account of services: there is one of each.
      return "default";
  }
}

/** A limit that is absent is all that the machine has; a request that is absent is the limit. */
function amountOf(resource: string, { limits, requests }: Amounts, { machine }: PodIdentity): string {
  const [list, name] = resource.split(".");
  const usual = limits[name] ?? String(name === "cpu" ? machine.cpus : machine.memory);
  return list === "requests" ? requests[name] ?? usual : usual;
}
