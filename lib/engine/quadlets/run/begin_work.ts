/**
 * The start of what a unit is for, in place of its `ExecStart`.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import type { NotifySocket } from "../../ports/unit_port.ts";
import type { MountRequest } from "../../records/mount_spec.ts";
import type { PodRequest } from "../../pods/pod_request.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { QuadletSpec } from "../spec/quadlet_spec.ts";
import type { QuadletWork } from "../spec/read_work.ts";
import { beginBuild } from "./begin_build.ts";
import { readHostFile } from "./host_text.ts";
import type { UnitParts } from "./unit_parts.ts";

/** The label by which the containers of a unit are known, as Podman has it. */
export const UNIT_LABEL = "PODMAN_SYSTEMD_UNIT";
/** The folder in a container with the socket on which it says that it is ready, as with Podman. */
const NOTIFY_FOLDER = "/run/notify";

/** The outcome of a start. */
export interface BegunWork {
  /** The container with whose end the unit ends; absent where nothing goes on. */
  containerID?: string;
}

/** Does what a unit is for, and resolves when it is ready. Throws `EngineError`; what was begun is then to be ended. */
export async function beginWork(
  parts: UnitParts,
  { unit, work, plan }: QuadletSpec,
  signal: AbortSignal,
): Promise<BegunWork> {
  switch (work.kind) {
    case "container":
      return await beginContainer(parts, unit, work, { isOneshot: plan.isOneshot, codes: plan.successCodes, signal });
    case "pod":
      return await beginPod(parts, unit, work.request);
    case "kube":
      return await beginKube(parts, unit, work, signal);
    case "network":
      await parts.networks.create(work.request, { ignore: true });
      return {};
    case "volume":
      await parts.volumes.create(work.request);
      return {};
    case "image":
      for await (const _ of parts.images.pull(work.name, { policy: "always", ...work.options, signal }));
      return {};
    case "artifact":
      await parts.artifacts.pull(work.name, { ...work.options, signal });
      return {};
    case "build":
      await beginBuild(parts, work, signal);
      return {};
  }
}

interface ContainerRun {
  isOneshot: boolean;
  codes: readonly number[];
  signal: AbortSignal;
}

async function beginContainer(
  parts: UnitParts,
  unit: string,
  { request, pull, registry, envFiles }: Extract<QuadletWork, { kind: "container" }>,
  { isOneshot, codes, signal }: ContainerRun,
): Promise<BegunWork> {
  const { containers, images } = parts;
  const env: Record<string, string> = {};
  for (const path of envFiles) Object.assign(env, readVariables(await readHostFile(parts, path)));
  const image = request.image ?? "";
  const isHere = pull === "never" || (pull === "missing" && image !== "" && images.exists(image));
  if (request.rootfs === undefined && !isHere) {
    for await (const _ of images.pull(image, { policy: pull, ...registry, signal }));
  }
  const before = containers.named(request.name ?? "");
  if (before !== undefined) await containers.remove(before.id, { force: true, ignore: true, volumes: true });
  signal.throwIfAborted();
  const isToldReady = request.sdNotify === "container" && !isOneshot;
  await using socket = isToldReady ? await parts.notifySockets().open(request.name ?? unit) : undefined;
  const { record: { id } } = await containers.create({
    ...request,
    env: { ...env, ...request.env, ...socket && { NOTIFY_SOCKET: `${NOTIFY_FOLDER}/notify.sock` } },
    labels: { ...request.labels, [UNIT_LABEL]: unit },
    ...socket && { mounts: [...request.mounts ?? [], notifyMount(socket)] },
  });
  await containers.start(id);
  if (socket !== undefined) await waitUntilTold(parts, id, socket, signal);
  if (isOneshot) {
    const code = await containers.wait(id, ["exited"], { signal });
    if (code !== 0 && !codes.includes(code)) throw new EngineError("state", `the command exited with status ${code}`);
    return {};
  }
  if (request.sdNotify === "healthy") await waitUntilHealthy(parts, id, signal);
  return { containerID: id };
}

function notifyMount({ folder }: NotifySocket): MountRequest {
  return { type: "bind", source: folder, destination: NOTIFY_FOLDER, options: ["rw", "bind"] };
}

/** Waits for `READY=1`, sd_notify(3). Other messages have no effect. */
async function waitUntilTold(
  { containers }: UnitParts,
  id: string,
  { messages }: NotifySocket,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const exit = containers.wait(id, ["exited"], { signal: AbortSignal.any([signal, done.signal]) });
  const told = (async () => {
    for await (const message of messages) if (message.split("\n").includes("READY=1")) return undefined;
    throw new EngineError("internal", "the socket for its messages ended");
  })();
  try {
    const code = await Promise.race([told, exit]);
    if (code !== undefined) {
      throw new EngineError("state", `the container exited with status ${code} before it said that it is ready`);
    }
  } finally {
    done.abort();
    // Whichever of them lost is over with its socket, and nobody waits for it.
    for (const promise of [told, exit]) promise.catch(() => {});
  }
}

async function waitUntilHealthy({ containers }: UnitParts, id: string, signal: AbortSignal): Promise<void> {
  // Any other condition's code is not negative.
  const code = await containers.wait(id, ["healthy", "exited"], { signal });
  if (code >= 0) throw new EngineError("state", `the container exited with status ${code} before it was healthy`);
}

async function beginPod({ pods }: UnitParts, unit: string, request: PodRequest): Promise<BegunWork> {
  const { name = "" } = request;
  const before = pods.named(name);
  if (before !== undefined) await pods.remove(before.id, { force: true });
  const { record } = await pods.create({ ...request, labels: { ...request.labels, [UNIT_LABEL]: unit } });
  const { failures } = await pods.start(record.id);
  for (const [id, error] of failures) throw new EngineError("state", `start container ${id}: ${messageOf(error)}`);
  return { containerID: record.infraID };
}

async function beginKube(
  parts: UnitParts,
  unit: string,
  { documents, configMaps, options }: Extract<QuadletWork, { kind: "kube" }>,
  signal: AbortSignal,
): Promise<BegunWork> {
  const text = await readDocuments(parts, [...configMaps, ...documents]);
  const { pods, serviceContainer } = await parts.kube.play(text, {
    ...options,
    labels: { [UNIT_LABEL]: unit },
    signal,
  });
  const [error] = pods.flatMap(({ errors }) => errors);
  if (error !== undefined) throw new EngineError("state", error);
  return { containerID: serviceContainer };
}

/** Reads files with Kubernetes documents as one text. */
export async function readDocuments(parts: UnitParts, paths: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) texts.push(await readHostFile(parts, path));
  return texts.join("\n---\n");
}

/** Reads `NAME=value` lines; lines that are empty or begin with `#` are comments. */
function readVariables(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.flatMap((line) => {
    const at = line.indexOf("=");
    // A bare name is for the variable of who starts the command: nobody does here.
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
  }));
}
