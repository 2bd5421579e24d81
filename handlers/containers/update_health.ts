import type { UpdateEntities } from "../wire/containers/container_update.ts";
import { parseDuration } from "../../lib/engine/text/duration.ts";
import type { HealthCheck, HealthWish, OnFailure } from "../../lib/engine/records/health_plan.ts";
import { RequestError } from "../request_error.ts";

const ACTIONS: readonly OnFailure[] = ["none", "kill", "restart", "stop"];

/** Returns an update's changes to a container's health checks; `undefined` for none. */
export function healthChange(entities: UpdateEntities): HealthWish | undefined {
  const e = entities;
  const startupRetries = e.health_startup_retries ?? undefined;
  const wish = {
    check: presentFields({
      test: testOf(e.health_cmd),
      interval: healthDuration("interval", e.health_interval),
      timeout: healthDuration("timeout", e.health_timeout),
      startPeriod: healthDuration("start-period", e.health_start_period),
      retries: healthRetries(e.health_retries),
    }),
    startup: presentFields({
      test: testOf(e.health_startup_cmd),
      interval: healthDuration("interval", e.health_startup_interval),
      timeout: healthDuration("timeout", e.health_startup_timeout),
      retries: startupRetries,
      successes: e.health_startup_success ?? undefined,
    }),
    log: presentFields({
      destination: e.health_log_destination ?? undefined,
      count: e.health_max_log_count ?? undefined,
      size: e.health_max_log_size ?? undefined,
    }),
    onFailure: failureAction(e.health_on_failure),
  };
  if (e.no_healthcheck) {
    if (wish.check || wish.startup) {
      throw new RequestError("malformed", "cannot specify both --no-healthcheck and other HealthCheck flags");
    }
    return { ...wish, check: { test: ["NONE"] } };
  }
  return presentFields(wish);
}

/** The fields that have a value; `undefined` where none has. */
function presentFields<T extends object>(fields: T): Partial<T> | undefined {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only fields without a value go.
  return given.length > 0 ? Object.fromEntries(given) as Partial<T> : undefined;
}

/** A command as `--health-cmd` has it: a JSON list, or a line for a shell. */
function testOf(text: string | null | undefined): HealthCheck["test"] | undefined {
  if (text === undefined || text === null) return undefined;
  if (text === "none") return ["NONE"];
  if (text === "") throw new RequestError("malformed", "must define a healthcheck command for all healthchecks");
  const list = wordsOf(text);
  if (list === undefined) return ["CMD-SHELL", text];
  return ["NONE", "CMD", "CMD-SHELL"].includes(list[0] ?? "") ? list : ["CMD", ...list];
}

function wordsOf(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : undefined;
  } catch {
    return undefined;
  }
}

function healthDuration(name: string, text: string | null | undefined): number | undefined {
  if (text === undefined || text === null) return undefined;
  if (text === "disable" && name === "interval") return 0;
  try {
    return parseDuration(text);
  } catch {
    throw new RequestError("malformed", `invalid healthcheck-${name}: time: invalid duration "${text}"`);
  }
}

function healthRetries(value: number | null | undefined): number | undefined {
  if (value === 0) throw new RequestError("malformed", "healthcheck-retries must be greater than 0");
  return value ?? undefined;
}

function failureAction(text: string | null | undefined): OnFailure | undefined {
  if (text === undefined || text === null) return undefined;
  const known = ACTIONS.find((one) => one === text);
  if (known === undefined) throw new RequestError("malformed", `invalid on-failure action "${text}" for health check`);
  return known;
}
