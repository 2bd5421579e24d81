/**
 * The end of what a unit is for, in place of its `ExecStop` and `ExecStopPost`.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import type { QuadletSpec } from "../spec/quadlet_spec.ts";
import { readDocuments } from "./begin_work.ts";
import type { UnitParts } from "./unit_parts.ts";

/** Ends what a unit began, whatever is left of it. Images, artifacts and volumes stay. */
export async function endWork(parts: UnitParts, { work, plan }: QuadletSpec): Promise<void> {
  switch (work.kind) {
    case "container": {
      const { name = "" } = work.request;
      const { containers } = parts;
      const container = containers.named(name);
      if (container === undefined) return;
      const timeout = Math.min(container.stopTimeout, Math.ceil(plan.stopTimeout / 1000));
      await containers.remove(container.id, { force: true, ignore: true, volumes: true, timeout });
      return;
    }
    case "pod": {
      const { name = "" } = work.request;
      const pod = parts.pods.named(name);
      if (pod === undefined) return;
      await parts.pods.remove(pod.id, { force: true, timeout: work.stopTimeout });
      return;
    }
    case "kube":
      await parts.kube.down(await readDocuments(parts, work.documents), { force: work.downForce });
      return;
    case "network":
      if (work.removesOnStop) await removeNetwork(parts, work.request.name ?? "");
      return;
  }
}

/** A network that others still use stays, as with `podman network rm`. */
async function removeNetwork({ networks, containers }: UnitParts, name: string): Promise<void> {
  try {
    const network = networks.named(name);
    if (network !== undefined) await containers.networks.remove(network.id);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "in_use") throw error;
  }
}
