/**
 * Walks the containers of a pod in the order of their dependencies.
 *
 * @module
 */
import { inParallel } from "../concurrency.ts";
import { dependenciesOf } from "../containers/dependencies.ts";
import { EngineError } from "../errors.ts";
import type { ContainerRecord } from "../records/container_record.ts";

/** How many containers of a pod are worked on together. */
const AT_ONCE = 8;

/** The failures of an operation on a pod, by container ID. */
export type PodFailures = Map<string, Error>;

/**
 * Groups containers so that each comes after those it depends on, and all after the infra container, which the pod's record goes
 * with; the containers of one group do not depend on each other. A container can only depend on one that was there before it,
 * so that there are no circles.
 */
export function dependencyLevels(members: readonly ContainerRecord[]): ContainerRecord[][] {
  const levels = new Map<string, number>();
  const byID = new Map(members.map((record) => [record.id, record]));
  const levelOf = (record: ContainerRecord): number => {
    const known = levels.get(record.id);
    if (known !== undefined) return known;
    const below = neededBy(record, members).flatMap((id) => byID.get(id) ?? []);
    const level = Math.max(0, ...below.map((one) => levelOf(one) + 1));
    levels.set(record.id, level);
    return level;
  };
  const groups: ContainerRecord[][] = [];
  for (const record of members) (groups[levelOf(record)] ??= []).push(record);
  return groups;
}

/**
 * Works on each container: those it depends on come first (`start`), or those that depend on it (`stop`). One that fails keeps
 * only those that wait for it from their turn.
 */
export async function walkPod(
  members: readonly ContainerRecord[],
  direction: "start" | "stop",
  work: (record: ContainerRecord) => Promise<unknown>,
): Promise<PodFailures> {
  const failures: PodFailures = new Map();
  const levels = dependencyLevels(members);
  if (direction === "stop") levels.reverse();
  for (const level of levels) {
    await inParallel(level, AT_ONCE, async (record) => {
      const blocked = direction === "start"
        ? blockedStart(record, members, failures)
        : blockedStop(record, members, failures);
      const error = blocked ?? await failureOf(work(record));
      if (error !== undefined) failures.set(record.id, error);
    });
  }
  return failures;
}

/** Works on all containers at once. */
export async function eachMember(
  members: readonly ContainerRecord[],
  work: (record: ContainerRecord) => Promise<unknown>,
): Promise<PodFailures> {
  const failures: PodFailures = new Map();
  await inParallel(members, AT_ONCE, async (record) => {
    const error = await failureOf(work(record));
    if (error !== undefined) failures.set(record.id, error);
  });
  return failures;
}

async function failureOf(work: Promise<unknown>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** IDs of the containers that a container of a pod comes after. */
function neededBy(record: ContainerRecord, members: readonly ContainerRecord[]): string[] {
  const infra = record.spec.infra ? undefined : members.find(({ spec }) => spec.infra);
  return [...dependenciesOf(record), ...infra ? [infra.id] : []];
}

function blockedStart(
  record: ContainerRecord,
  members: readonly ContainerRecord[],
  failures: PodFailures,
): Error | undefined {
  if (!neededBy(record, members).some((id) => failures.has(id))) return undefined;
  return improperOrder(`a dependency of container ${record.id} failed to start`);
}

function blockedStop(
  { id }: ContainerRecord,
  members: readonly ContainerRecord[],
  failures: PodFailures,
): Error | undefined {
  const isKept = members.some((other) => failures.has(other.id) && neededBy(other, members).includes(id));
  return isKept ? improperOrder(`a container that depends on container ${id} could not be stopped`) : undefined;
}

function improperOrder(detail: string): EngineError {
  const sentinel = "container state improper";
  return new EngineError("state", `${detail}: ${sentinel}`, { sentinel });
}
