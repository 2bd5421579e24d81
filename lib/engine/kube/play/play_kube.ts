import { EngineError } from "../../errors.ts";
import { PAUSE_COMMAND } from "../../pods/draft_pod.ts";
import type { KubeParts } from "../kube_parts.ts";
import type { PodPlan } from "../pod_plan.ts";
import { type KubeObject, readObjects, requireObjects } from "../read/documents.ts";
import {
  type KeyValues,
  readClaim,
  readConfigMap,
  readSecret,
  readService,
  readStoredSecret,
  type ServicePlan,
} from "../read/read_objects.ts";
import { readWorkload, takenNames, type Workload } from "../read/read_workload.ts";
import { writeYAML } from "../read/read_yaml.ts";
import type { VolumeRequest } from "../../volumes/volumes.ts";
import { KUBE_NETWORK, parseNetworks, parsePort, servicesOf } from "./pod_network.ts";
import { logFields } from "./log_options.ts";
import { playPod, removePod, waitUntilReady } from "./play_pod.ts";
import type { PlayedPod, PlayOptions, PlayReport, ValueSources } from "./play_options.ts";

/** Everything that a text asks for, read and checked before anything is made. */
interface Play {
  workloads: { object: KubeObject; workload: Workload }[];
  claims: VolumeRequest[];
  secrets: { name: string; text: string }[];
  configMaps: Map<string, KeyValues>;
  services: ServicePlan[];
  /** A line for each part of objects without pods that nobody honours. */
  notes: string[];
}

/**
 * Plays Kubernetes documents: makes volumes of claims, secrets, and pods with their containers, and starts them. The whole text is read
 * and checked before anything is made.
 *
 * Source: `PlayKube` of Podman's `pkg/domain/infra/abi/play.go`.
 */
export async function playKube(parts: KubeParts, text: string, options: PlayOptions = {}): Promise<PlayReport> {
  if (options.serviceContainer && options.start === false) {
    throw new EngineError("invalid", "running a service container requires starting the pod(s)");
  }
  const play = readPlay(text, options);
  checkOptions(options);
  if (!options.networks?.length && play.workloads.length > 0) {
    await parts.networks.create({ name: KUBE_NETWORK, dns: true }, { ignore: true });
  }
  const report: PlayReport = { pods: [], volumes: [], secrets: [] };
  for (const claim of play.claims) report.volumes.push((await parts.volumes.create(claim)).name);
  for (const { name, text } of play.secrets) report.secrets.push(await storeSecret(parts, name, text));
  const sources = valueSources(parts, play.configMaps);
  const needsService = options.serviceContainer && play.workloads.some(({ object: { kind } }) => {
    return kind === "Pod" || kind === "Deployment";
  });
  const service = needsService ? await makeService(parts, text, options) : undefined;
  try {
    await playPods(parts, play, { options, sources, service, report });
  } catch (error) {
    if (service !== undefined && !parts.pods.isService(service)) {
      await parts.containers.remove(service, { force: true, ignore: true, timeout: 0 });
    }
    throw error;
  }
  addNotes(parts, report, play.notes);
  return { ...report, ...service !== undefined && { serviceContainer: service } };
}

/** Options that are wrong are so before anything is made. */
function checkOptions(options: PlayOptions): void {
  logFields(options);
  if (options.networks?.length) parseNetworks(options.networks);
  for (const port of options.publish ?? []) parsePort(port);
}

function readPlay(text: string, options: PlayOptions): Play {
  const documents = readObjects(text);
  requireObjects(documents);
  const play: Play = { workloads: [], claims: [], secrets: [], configMaps: new Map(), services: [], notes: [] };
  const taken = takenNames(documents.objects);
  for (const object of documents.objects) {
    addObject(play, object, taken, options);
    const { fields, kind } = object;
    if (kind !== "Pod" && kind !== "Deployment" && kind !== "DaemonSet" && kind !== "Job") {
      object.metadata.skip("labels", "annotations");
      play.notes.push(...fields.unread().map((note) => `${fields.object}: ${note}`));
    }
  }
  const names = play.workloads.flatMap(({ workload }) => workload.pods.map(({ name }) => name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new EngineError("invalid", `there are two pods called "${twice}"`);
  play.notes.push(...documents.others);
  return play;
}

function addObject(play: Play, object: KubeObject, taken: ReadonlySet<string>, { annotations }: PlayOptions): void {
  switch (object.kind) {
    case "ConfigMap":
      if (object.name === "") throw object.fields.fail("metadata.name", "is missing");
      play.configMaps.set(object.name, readConfigMap(object));
      return;
    case "Secret":
      if (object.name === "") throw object.fields.fail("metadata.name", "is missing");
      // Read for its errors: a pod that needs it comes later, or never.
      readSecret(object);
      play.secrets.push({ name: object.name, text: writeYAML(object.value) });
      return;
    case "PersistentVolumeClaim":
      play.claims.push(readClaim(object, annotations));
      return;
    case "Service":
      play.services.push(readService(object));
      return;
    default:
      play.workloads.push({ object, workload: readWorkload(object, taken, annotations) });
  }
}

/** A secret of the same name gives way, unless it is immutable. */
async function storeSecret({ secrets }: KubeParts, name: string, text: string): Promise<string> {
  if (secrets.list().some((secret) => secret.name === name)) {
    const old = new TextDecoder().decode(await secrets.value(name));
    if (/^immutable: true$/m.test(old) && readStoredSecret(old) !== undefined) {
      throw new EngineError("invalid", "cannot remove colliding secret as it is set to immutable");
    }
  }
  return await secrets.create(name, new TextEncoder().encode(text), { replace: true });
}

function valueSources({ secrets }: KubeParts, configMaps: Play["configMaps"]): ValueSources {
  return {
    configMaps,
    async secret(name) {
      if (!secrets.exists(name)) return undefined;
      const text = new TextDecoder().decode(await secrets.value(name));
      const values = readStoredSecret(text);
      if (values !== undefined) return values;
      throw new EngineError("invalid", `secret ${name}: only secrets created via the kube yaml file are supported`);
    },
  };
}

/** Makes the container that the pods of a text share, under a name that the text decides. */
async function makeService({ codec, containers }: KubeParts, text: string, { replace }: PlayOptions): Promise<string> {
  const name = await serviceName(codec, text);
  if (replace) await containers.remove(name, { force: true, ignore: true });
  const { record } = await containers.create({
    ...{ name, image: "", infra: true, entrypoint: [...PAUSE_COMMAND], readOnly: true, init: false, systemd: "false" },
    namespaces: { network: { mode: "none" } },
  });
  return record.id;
}

/** The beginning of the text's digest: the same text has the same service. */
async function serviceName(codec: KubeParts["codec"], text: string): Promise<string> {
  const hash = codec.hash();
  hash.update(new TextEncoder().encode(text));
  const [, hex] = (await hash.digest()).split(":");
  return `${hex.slice(0, 12)}-service`;
}

interface PodsPlay {
  options: PlayOptions;
  sources: ValueSources;
  service?: string;
  report: PlayReport;
}

async function playPods(parts: KubeParts, play: Play, { options, sources, service, report }: PodsPlay): Promise<void> {
  let index = 0;
  // A port of the host is only one pod's: the first of a service's pods has it.
  const served = new Set<ServicePlan>();
  for (const { object: { kind, name, fields }, workload } of play.workloads) {
    const played: PlayedPod[] = [];
    const serviceContainer = kind === "Pod" || kind === "Deployment" ? service : undefined;
    for (const plan of workload.pods) {
      const starts = options.start !== false && played.length < (workload.parallel ?? Infinity);
      const services = play.services.map((one) => served.has(one) ? { ...one, ports: [] } : one);
      const pod = { plan, options, index, services, sources, serviceContainer, starts };
      played.push(await wrapErrors(kind, plan, () => playPod(parts, pod)));
      for (const one of servicesOf(plan, play.services)) served.add(one);
      index++;
      const isFollowed = played.length < workload.pods.length;
      if (options.replace && starts && isFollowed && workload.readyTimeout !== undefined) {
        await waitUntilReady(parts, played.at(-1)!, {
          name: plan.name,
          ms: workload.readyTimeout,
          signal: options.signal,
        });
      }
    }
    if (options.replace && kind === "Deployment") await removeSurplus(parts, name, workload);
    // Its first pods may have ended before the last were made.
    if (kind === "Job" && options.start !== false) await parts.pods.resumeJob(name);
    const notes = fields.unread();
    const [first] = played;
    first?.notes.push(...notes.map((note) => `${fields.object}: ${note}`));
    report.pods.push(...played);
  }
}

/** Removes pods that a deployment had when it asked for more of them: they have its names and its labels. */
async function removeSurplus(parts: KubeParts, deployment: string, { pods: [first], pods }: Workload): Promise<void> {
  const wanted = Object.entries(first?.labels ?? {});
  if (wanted.length === 0) return;
  const kept = new Set(pods.map(({ name }) => name));
  for (const pod of parts.pods.list()) {
    const { name, labels } = pod;
    const isNamed = name.startsWith(`${deployment}-pod-`) && /^\d+$/.test(name.slice(deployment.length + 5));
    if (!isNamed || kept.has(name)) continue;
    if (wanted.every(([key, value]) => labels[key] === value)) await removePod(parts, pod);
  }
}

async function wrapErrors<T>(kind: string, { name }: PodPlan, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (kind === "Pod" || !(error instanceof EngineError)) throw error;
    const { code, message, sentinel, status } = error;
    const text = `encountered while bringing up pod ${name}: ${message}`;
    throw new EngineError(code, text, { cause: error, sentinel, status });
  }
}

/** Objects without pods have no report of their own. */
function addNotes({ log }: KubeParts, { pods: [first] }: PlayReport, notes: readonly string[]): void {
  if (first) first.notes.push(...notes);
  else for (const note of notes) log("warn", `Play: ${note}`);
}
