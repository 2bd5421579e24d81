import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { activeHealth, DEFAULT_HEALTH_LOG } from "../../../lib/engine/containers/health/health_check.ts";
import type { HealthState } from "../../../lib/engine/containers/health/health_states.ts";
import type { InspectContainerConfig } from "../../wire/containers/container_inspect.ts";
import type { Sparse } from "../../wire/emit.ts";
import type { HealthCheckResults, StartupHealthCheck } from "../../wire/containers/health.ts";
import { wireTime } from "../../wire/time.ts";
import type { HealthCheck, StartupCheck } from "../../../lib/engine/records/health_plan.ts";

/** A container's health checks. */
export function healthConfig({ health }: ContainerRecord): Sparse<InspectContainerConfig> {
  const { check, startup, onFailure, log = DEFAULT_HEALTH_LOG } = health ?? {};
  return {
    Healthcheck: check && wireCheck(check),
    StartupHealthCheck: startup && wireCheck(startup),
    HealthcheckOnFailureAction: onFailure ?? "none",
    HealthLogDestination: log.destination,
    HealthcheckMaxLogCount: log.count,
    HealthcheckMaxLogSize: log.size,
  };
}

/** Returns the results of a container's checks; `null` where it has none. */
export function healthResults({ health }: ContainerRecord, state?: HealthState): Sparse<HealthCheckResults> | null {
  if (activeHealth(health) === undefined) return null;
  return {
    Status: state?.status ?? "",
    FailingStreak: state?.failingStreak ?? 0,
    Log: state?.log.map(({ start, end, exitCode, output }) => ({
      Start: wireTime(start),
      End: wireTime(end),
      ExitCode: exitCode,
      Output: output,
    })) ?? null,
  };
}

function wireCheck(check: HealthCheck & Partial<StartupCheck>): StartupHealthCheck {
  const nanoseconds = (ms: number) => Math.round(ms * 1e6);
  return {
    Test: check.test,
    Interval: nanoseconds(check.interval),
    Timeout: nanoseconds(check.timeout),
    StartPeriod: nanoseconds(check.startPeriod),
    StartInterval: nanoseconds(check.startInterval),
    Retries: check.retries,
    Successes: check.successes,
  };
}
