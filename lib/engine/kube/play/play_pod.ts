import type { MemberRequest } from "../../containers/request/container_request.ts";
import { parseNamespace } from "../../containers/request/namespace_mode.ts";
import { userNamespace } from "../../containers/request/user_namespace.ts";
import { activeHealth } from "../../containers/health/health_check.ts";
import { EngineError } from "../../errors.ts";
import type { PullPolicy } from "../../images/types.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { PodRecord } from "../../records/pod_record.ts";
import type { PodRequest } from "../../pods/pod_request.ts";
import type { KubeParts } from "../kube_parts.ts";
import type { ContainerPlan, PodPlan } from "../pod_plan.ts";
import { annotatedVolumesFrom, ANNOTATIONS } from "../read/annotations.ts";
import type { ServicePlan } from "../read/read_objects.ts";
import { withinTime } from "../../within_time.ts";
import { logFields } from "./log_options.ts";
import type { PlayedPod, PlayOptions, ValueSources } from "./play_options.ts";
import { podNetwork } from "./pod_network.ts";
import { type MadeVolumes, makePodVolumes, mountsOf } from "./pod_volumes.ts";
import { expandReferences, type PodIdentity, resolveEnv } from "./values.ts";

/** A pod that is played, with its surroundings. */
export interface PodPlay {
  plan: PodPlan;
  options: PlayOptions;
  /** The pod's place among all that are played. */
  index: number;
  services: readonly ServicePlan[];
  sources: ValueSources;
  /** The ID of the container that runs as long as the pods. */
  serviceContainer?: string;
  /** It is made, and started. */
  starts: boolean;
}

/**
 * Makes a pod and its containers, and starts them. Images are there before anything is made; where a container cannot be made, nothing
 * of the pod stays. One that is to be replaced goes first.
 */
export async function playPod(parts: KubeParts, play: PodPlay): Promise<PlayedPod> {
  const { plan, options } = play;
  await fetchImages(parts, plan, options);
  const replaced = options.replace ? parts.pods.named(plan.name) : undefined;
  if (replaced !== undefined) await removePod(parts, replaced);
  const { record } = await parts.pods.create(podRequest(play));
  const made: { init: string[]; main: string[] } = { init: [], main: [] };
  try {
    await makeContainers(parts, play, record, made);
  } catch (error) {
    await removePod(parts, record);
    throw error;
  }
  const errors = play.starts ? await startPod(parts, record) : [];
  return { id: record.id, containers: made.main, initContainers: made.init, errors, notes: [] };
}

/** The pod that is waited for, and for how long. */
export interface ReadyBounds {
  name: string;
  /** Milliseconds. */
  ms: number;
  signal?: AbortSignal;
}

/**
 * Waits until every container of a pod that has a health check is healthy. Throws `state` where one ends or is unhealthy before, and
 * `timeout`.
 */
export async function waitUntilReady(parts: KubeParts, { containers }: PlayedPod, bounds: ReadyBounds): Promise<void> {
  const { name, ms, signal = new AbortController().signal } = bounds;
  try {
    await withinTime({ clock: parts.clock, ms, signal }, async (signal) => {
      for (const id of containers) await waitUntilHealthy(parts, id, signal);
    });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const text = `pod ${name} is not ready, and the pods after it are as they were: ${error.message}`;
    throw new EngineError(error.code, text, { cause: error });
  }
}

async function waitUntilHealthy({ containers }: KubeParts, id: string, signal: AbortSignal): Promise<void> {
  const { name, health } = containers.resolve(id);
  if (activeHealth(health) === undefined) return;
  await containers.wait(id, ["healthy", "unhealthy", "exited"], { signal });
  const { status } = containers.health(id) ?? {};
  if (status !== "healthy") throw new EngineError("state", `container ${name} is ${status ?? "not running"}`);
}

/** Removes a pod with its containers, if there is one. */
export async function removePod({ pods }: KubeParts, { id, name }: PodRecord): Promise<void> {
  if (!pods.exists(id)) return;
  const { failures } = await pods.remove(id, { force: true });
  for (const [id, error] of failures) {
    throw new EngineError("state", `replacing pod ${name}: removing container ${id}: ${messageOf(error)}`);
  }
}

async function startPod({ pods }: KubeParts, { id }: PodRecord): Promise<string[]> {
  const { failures } = await pods.start(id);
  return [...failures].map(([container, error]) => `starting container ${container}: ${messageOf(error)}`);
}

async function fetchImages(parts: KubeParts, plan: PodPlan, options: PlayOptions): Promise<void> {
  const { images } = parts;
  const wanted = new Map<string, PullPolicy>();
  for (const { image, policy } of [...plan.initContainers, ...plan.containers]) {
    wanted.set(image, policy ?? wanted.get(image) ?? usualPolicy(image));
  }
  for (const volume of plan.volumes.values()) {
    if (volume.kind === "image") wanted.set(volume.reference, volume.policy ?? usualPolicy(volume.reference));
  }
  const { credentials, tlsVerify, signal } = options;
  for (const [image, policy] of wanted) {
    if (await buildImage(parts, image, options)) continue;
    if (policy === "missing" && images.exists(image)) continue;
    for await (const _ of images.pull(image, { policy, credentials, tlsVerify, signal }));
  }
}

/** Builds an image of the context that goes by its name, if there is one, and the image is missing or to be built in any case. */
async function buildImage({ images, builds }: KubeParts, image: string, options: PlayOptions): Promise<boolean> {
  const { contexts, build, signal, credentials, tlsVerify } = options;
  const context = contexts?.get(image.split("/").at(-1)?.split(/[:@]/)[0] ?? "");
  if (context === undefined || build === false || (build !== true && images.exists(image))) return false;
  const steps = builds.build({
    context: context.open(),
    dockerfiles: [context.dockerfile],
    names: [image],
    registry: { credentials, tlsVerify },
    signal,
  });
  for await (const _ of steps);
  return true;
}

/** The newest is fetched where a name says so, with its registry. */
function usualPolicy(image: string): PullPolicy {
  const [domain, rest] = image.split(/\/(.*)/s);
  const isFull = rest !== undefined && /[.:]|^localhost$/.test(domain);
  return isFull && !image.includes("@") && /^[^:]*$|:latest$/.test(rest) ? "newer" : "missing";
}

function podRequest({ plan, options, index, services, serviceContainer }: PodPlay): PodRequest {
  const { request, restartPolicy } = plan;
  const { container = {} } = request;
  const network = podNetwork(plan, options, index, services);
  const users = userNamespace(parseNamespace(privateUsers(options.users || plan.users || "host")));
  if (options.noHosts && container.hosts?.length) {
    throw new EngineError("invalid", "HostAliases in yaml file will not work with --no-hosts");
  }
  return {
    ...request,
    restartPolicy,
    ...serviceContainer && { serviceContainer },
    container: {
      ...container,
      ...network,
      namespaces: { ...container.namespaces, ...network.namespaces, ...users.mode && { user: users.mode } },
      ...users.userMaps && { userMaps: users.userMaps },
      noHosts: options.noHosts || undefined,
      noHostname: options.noHostname || undefined,
    },
  };
}

/** A namespace of its own has the IDs that the host has to give. */
function privateUsers(words: string): string {
  return words === "private" ? "auto" : words;
}

async function makeContainers(
  parts: KubeParts,
  play: PodPlay,
  pod: PodRecord,
  made: { init: string[]; main: string[] },
): Promise<void> {
  const { plan, options, sources } = play;
  const facts: PodIdentity = {
    id: pod.id,
    name: pod.name,
    labels: plan.labels,
    annotations: plan.annotations,
    machine: await parts.machine(),
  };
  const volumes = await makePodVolumes({ volumes: parts.volumes, files: parts.files() }, plan, facts, sources);
  const known: string[] = [];
  for (const container of [...plan.initContainers, ...plan.containers]) {
    const isInit = container.request.initContainer !== undefined;
    const request = await containerRequest(parts, play, container, { pod, facts, volumes, known });
    const replaced = options.replace ? parts.containers.named(request.name ?? "") : undefined;
    if (replaced !== undefined) await parts.containers.remove(replaced.id, { force: true, ignore: true });
    const { record } = await parts.containers.create(request);
    made[isInit ? "init" : "main"].push(record.id);
    known.push(container.name);
  }
}

interface PodSurroundings {
  pod: PodRecord;
  facts: PodIdentity;
  volumes: MadeVolumes;
  /** Names of the containers that are made already. */
  known: readonly string[];
}

async function containerRequest(
  parts: KubeParts,
  { plan, options, sources }: PodPlay,
  container: ContainerPlan,
  { pod, facts, volumes, known }: PodSurroundings,
): Promise<MemberRequest> {
  const { request, name, image } = container;
  const env = await resolveEnv(container, facts, sources);
  const variables = new Map(Object.entries(env));
  const expand = (words: string[] | undefined) => words?.map((word) => expandReferences(word, variables));
  if (container.nonRoot) requireOtherUser(parts, container);
  const volumesFrom = annotatedVolumesFrom(plan.annotations, name, plan.name, known);
  return {
    ...request,
    name: options.noPodPrefix ? name : `${plan.name}-${name}`,
    image,
    pod: pod.id,
    env,
    ...options.labels && { labels: { ...request.labels, ...options.labels } },
    entrypoint: expand(request.entrypoint),
    command: expand(request.command),
    annotations: { ...plan.annotations, "io.kubernetes.cri-o.SandboxID": pod.infraID },
    mounts: [...mountsOf(container, plan, volumes), ...imageMounts(parts, plan, name)],
    ...volumesFrom && { volumesFrom },
    restartPolicy: request.initContainer === undefined ? plan.restartPolicy : { name: "no" },
    ...logFields(options),
  };
}

/** Throws `invalid` for a container that would run as root, and must not. */
function requireOtherUser({ images }: KubeParts, { name, image, request }: ContainerPlan): void {
  const user = request.user ?? images.resolve(image).config.config?.User ?? "";
  const [id] = user.split(":");
  if (/^\d+$/.test(id) && Number(id) > 0) return;
  const why = id === "" || Number(id) === 0 ? "would run as root" : `runs as "${id}", who may be root`;
  throw new EngineError(
    "invalid",
    `container "${name}" has runAsNonRoot, and ${why}: set runAsUser to another user's number`,
  );
}

/** The places of an image's volumes, mounted from images that annotations name. */
function imageMounts({ images }: KubeParts, { annotations }: PodPlan, container: string) {
  const names = annotations[`${ANNOTATIONS.imageVolumes}/${container}`];
  if (!names) return [];
  return names.split(";").flatMap((source) => {
    if (!images.exists(source)) {
      const why = `image ${source} from container ${container} does not exist in local storage, cannot automount`;
      throw new EngineError("invalid", why);
    }
    const { Volumes: volumes = {} } = images.resolve(source).config.config ?? {};
    return Object.keys(volumes ?? {}).map((path) => {
      return { type: "image" as const, source, destination: path, options: ["ro"], subPath: path };
    });
  });
}
