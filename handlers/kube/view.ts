import type { DownedObject, DownReport } from "../../lib/engine/kube/play/down_kube.ts";
import type { PlayedPod, PlayReport } from "../../lib/engine/kube/play/play_options.ts";
import { emit } from "../wire/emit.ts";
import { PlayKubeReport } from "../wire/kube/kube.ts";

/** The report of a play. */
export function playReport({ pods, volumes, secrets, serviceContainer }: PlayReport): PlayKubeReport {
  return emit(PlayKubeReport, {
    Pods: someOf(pods.map(playedPod)),
    Volumes: someOf(volumes.map((Name) => ({ Name }))),
    Secrets: someOf(secrets.map((ID) => ({ CreateReport: { ID } }))),
    ServiceContainerID: serviceContainer,
  });
}

function playedPod({ id, containers, initContainers, errors, notes }: PlayedPod) {
  return {
    ID: id,
    Containers: someOf(containers),
    InitContainers: someOf(initContainers),
    // Clients print them one after the other.
    Logs: someOf(notes.map((note) => `${note}\n`)),
    ContainerErrors: someOf(errors),
  };
}

/** The report of the end of a play. */
export function downReport({ stopped, removed, secrets, volumes }: DownReport): PlayKubeReport {
  return emit(PlayKubeReport, {
    StopReport: stopped.map(({ id, name, errors }) => ({ Id: id, RawInput: name, Errs: someOf(errors) })),
    RmReport: removed.map((pod) => ({
      Id: pod.id,
      Err: errorOf(pod),
      RemovedCtrs: Object.fromEntries((pod.removed ?? []).map((id) => [id, null])),
    })),
    SecretRmReport: secrets.map((secret) => ({ ID: secret.id, Err: errorOf(secret) })),
    VolumeRmReport: volumes.map((volume) => ({ Id: volume.id, Err: errorOf(volume) })),
  });
}

function errorOf({ errors }: DownedObject): string | null {
  return errors.length > 0 ? errors.join(", ") : null;
}

/** Go has null for a list that nobody made. */
function someOf<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null;
}
