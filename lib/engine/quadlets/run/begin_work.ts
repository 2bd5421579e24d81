/**
 * The start of what a unit is for, in place of its `ExecStart`.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import type { PodRequest } from "../../pods/pod_request.ts";
import { readStream } from "../../../oci/registry/body.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { QuadletSpec } from "../spec/quadlet_spec.ts";
import type { QuadletWork } from "../spec/read_work.ts";
import type { UnitParts } from "./unit_parts.ts";

/** The label by which the containers of a unit are known, as Podman has it. */
export const UNIT_LABEL = "PODMAN_SYSTEMD_UNIT";
/** Bytes of a file with variables, and of a document. */
const FILE_LIMIT = 4 << 20;

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
      return await beginKube(parts, work, signal);
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
      throw new EngineError(
        "unsupported",
        `Start ${unit}: the engine builds from requests, not from folders of the host`,
      );
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
  if (request.name) await containers.remove(request.name, { force: true, ignore: true, volumes: true });
  signal.throwIfAborted();
  const { record: { id } } = await containers.create({
    ...request,
    env: { ...env, ...request.env },
    labels: { ...request.labels, [UNIT_LABEL]: unit },
  });
  await containers.start(id);
  if (isOneshot) {
    const code = await containers.wait(id, ["exited"], { signal });
    if (code !== 0 && !codes.includes(code)) throw new EngineError("state", `the command exited with status ${code}`);
    return {};
  }
  if (request.sdNotify === "healthy") await waitUntilHealthy(parts, id, signal);
  return { containerID: id };
}

async function waitUntilHealthy({ containers }: UnitParts, id: string, signal: AbortSignal): Promise<void> {
  // Any other condition's code is not negative.
  const code = await containers.wait(id, ["healthy", "exited"], { signal });
  if (code >= 0) throw new EngineError("state", `the container exited with status ${code} before it was healthy`);
}

async function beginPod({ pods }: UnitParts, unit: string, request: PodRequest): Promise<BegunWork> {
  const { name = "" } = request;
  if (pods.exists(name)) await pods.remove(name, { force: true });
  const { record } = await pods.create({ ...request, labels: { ...request.labels, [UNIT_LABEL]: unit } });
  const { failures } = await pods.start(record.id);
  for (const [id, error] of failures) throw new EngineError("state", `start container ${id}: ${messageOf(error)}`);
  return { containerID: record.infraID };
}

async function beginKube(
  parts: UnitParts,
  { documents, configMaps, options }: Extract<QuadletWork, { kind: "kube" }>,
  signal: AbortSignal,
): Promise<BegunWork> {
  const text = await readDocuments(parts, [...configMaps, ...documents]);
  const { pods, serviceContainer } = await parts.kube.play(text, { ...options, signal });
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

async function readHostFile(parts: UnitParts, path: string): Promise<string> {
  const found = await parts.localFiles().find(path);
  if (found.kind !== "file") throw new EngineError("invalid", `"${path}" is no file`);
  if (found.size > FILE_LIMIT) throw new EngineError("limit", `Read ${path}: larger than ${FILE_LIMIT} bytes`);
  return new TextDecoder().decode(await readStream(await found.open(), FILE_LIMIT));
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
