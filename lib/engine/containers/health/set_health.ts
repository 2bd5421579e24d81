import type { ContainerRecord } from "../../records/container_record.ts";
import { type Context, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { checkRecordSize } from "../record_size.ts";
import { activeHealth, checkDestination, DEFAULT_INTERVAL, isNone, isTest, resolveHealth } from "./health_check.ts";
import type { HealthPlan, HealthWish } from "../../records/health_plan.ts";
import { freshHealth } from "./begin_health.ts";
import { invalid } from "../../errors.ts";

/** Changes a container's health checks, whatever its state; what is absent from the wish stays. */
export function setHealth(context: Context, nameOrID: string, wish: HealthWish): Promise<void> {
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const health = changePlan(record.health, wish);
    await checkDestination(requireHost(context.core), health);
    const next: ContainerRecord = { ...record, health };
    checkRecordSize(context, next);
    // A container that had no check has no health yet.
    const isNew = context.health.states.get(id) === undefined && record.state.status === "running";
    await context.records.save(next, isNew ? freshHealth(context, next, "starting") : []);
    if (activeHealth(health) === undefined) context.health.forget(id);
    else if (record.state.status === "running") context.health.watch(context, next);
  });
}

function changePlan(now: HealthPlan | undefined, wish: HealthWish): HealthPlan {
  const merge = <T>(before: T | undefined, after: Partial<T> | undefined) =>
    after ? { ...before, ...givenFields(after) } : before;
  const plan = resolveHealth({
    check: merge(now?.check && !isNone(now.check.test) ? now.check : firstCheck(wish.check), wish.check),
    // A container whose checks are taken away does not come up under one either.
    startup: isNone(wish.check?.test) ? undefined : merge(now?.startup, wish.startup),
    readiness: isNone(wish.check?.test) ? undefined : now?.readiness,
    onFailure: wish.onFailure ?? now?.onFailure,
    log: { ...now?.log, ...givenFields(wish.log ?? {}) },
  });
  if (wish.check && !plan.check) throw invalid("healthcheck command is not set");
  if (wish.startup && !plan.startup) throw invalid("startup healthcheck command is not set");
  return plan;
}

/** A container that had no check runs the new one as often as one that is made with it. */
function firstCheck(wish: HealthWish["check"]): HealthPlan["check"] | { interval: number } | undefined {
  return isTest(wish?.test) && !isNone(wish.test) ? { interval: DEFAULT_INTERVAL } : undefined;
}

/** The fields of a wish that have a value. */
function givenFields<T extends object>(wish: Partial<T>): Partial<T> {
  // Only keys without a value go.
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)) as Partial<T>;
}
