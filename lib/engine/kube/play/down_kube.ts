import { messageOf } from "../../../oci/message_of.ts";
import type { KubeParts } from "../kube_parts.ts";
import type { PodRecord } from "../../records/pod_record.ts";
import { readObjects } from "../read/documents.ts";
import { readClaim } from "../read/read_objects.ts";
import { readWorkload, takenNames } from "../read/read_workload.ts";

/** The outcome for one object that was taken down. */
export interface DownedObject {
  /** Its ID; the name of a volume. */
  id: string;
  /** The name by which the document has it. */
  name: string;
  errors: string[];
  /** IDs of the containers that went with a pod. */
  removed?: string[];
}

/** The outcome of taking documents down; objects that are not there are left out. */
export interface DownReport {
  stopped: DownedObject[];
  removed: DownedObject[];
  secrets: DownedObject[];
  volumes: DownedObject[];
}

/** Options of {@linkcode downKube}. */
export interface DownOptions {
  /** Remove the volumes, too. */
  force?: boolean;
}

/** Stops and removes the pods of Kubernetes documents, and removes their secrets. One that fails does not keep the others. */
export async function downKube(
  parts: KubeParts,
  text: string,
  { force = false }: DownOptions = {},
): Promise<DownReport> {
  const { pods, volumes, secrets } = namesOf(text);
  const report: DownReport = { stopped: [], removed: [], secrets: [], volumes: [] };
  const there = pods.flatMap((name) => parts.pods.named(name) ?? []);
  for (const pod of there) report.stopped.push(await stopPod(parts, pod));
  for (const pod of there) report.removed.push(await removePod(parts, pod));
  for (const name of secrets) {
    if (!parts.secrets.list().some((secret) => secret.name === name)) continue;
    report.secrets.push(await tellErrors(name, name, async () => ({ id: await parts.secrets.remove(name) })));
  }
  for (const name of force ? volumes : []) {
    if (!parts.volumes.exists(name)) continue;
    report.volumes.push(await tellErrors(name, name, () => parts.volumes.remove(name)));
  }
  return report;
}

interface Names {
  pods: string[];
  volumes: string[];
  secrets: string[];
}

function namesOf(text: string): Names {
  const pods: string[] = [];
  const secrets: string[] = [];
  const volumes: string[] = [];
  const { objects } = readObjects(text);
  const taken = takenNames(objects);
  for (const object of objects) {
    if (object.kind === "Secret") secrets.push(object.name);
    else if (object.kind === "PersistentVolumeClaim") volumes.push(readClaim(object).name ?? "");
    else if (object.kind !== "ConfigMap" && object.kind !== "Service") {
      for (const pod of readWorkload(object, taken).pods) {
        pods.push(pod.name);
        for (const volume of pod.volumes.values()) {
          if (volume.kind === "claim" || volume.kind === "files") volumes.push(volume.name);
        }
      }
    }
  }
  const once = (names: string[]) => [...new Set(names)].filter((name) => name !== "");
  return { pods: once(pods), volumes: once(volumes), secrets: once(secrets) };
}

async function stopPod({ pods }: KubeParts, pod: PodRecord): Promise<DownedObject> {
  const { id, name } = pod;
  const isUp = pods.membersOf(pod).some(({ state }) => state.status === "running");
  return await tellErrors(id, name, async () => {
    if (!isUp) return {};
    const { failures } = await pods.stop(id);
    return { errors: [...failures].map(([id, error]) => `stopping container ${id}: ${messageOf(error)}`) };
  });
}

async function removePod({ pods }: KubeParts, { id, name }: PodRecord): Promise<DownedObject> {
  return await tellErrors(id, name, async () => {
    const { failures, removed } = await pods.remove(id, { force: true });
    return { removed, errors: [...failures].map(([id, error]) => `removing container ${id}: ${messageOf(error)}`) };
  });
}

async function tellErrors(
  id: string,
  name: string,
  work: () => Promise<Partial<DownedObject> | void>,
): Promise<DownedObject> {
  try {
    return { id, name, errors: [], ...await work() };
  } catch (error) {
    return { id, name, errors: [messageOf(error)] };
  }
}
