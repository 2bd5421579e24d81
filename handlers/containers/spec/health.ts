import type { StartupHealthCheck } from "../../wire/containers/health.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import type { HealthCheck, HealthWish, OnFailure, StartupCheck } from "../../../lib/engine/records/health_plan.ts";
import { RequestError } from "../../request_error.ts";

/** Podman's numbers of what is done with an unhealthy container; 1 is nothing anybody may ask for. */
const ACTIONS: readonly (OnFailure | undefined)[] = ["none", undefined, "kill", "restart", "stop"];

/** The health checks of a create request; `undefined` where it says nothing of them. */
export function healthWish(generator: SpecGenerator): HealthWish | undefined {
  const { healthconfig, startupHealthConfig, health_check_on_failure_action: action = 0 } = generator;
  const { healthLogDestination: destination, healthMaxLogCount: count, healthMaxLogSize: size } = generator;
  const onFailure = ACTIONS[action];
  if (onFailure === undefined) {
    throw new RequestError("invalid", `invalid on-failure action ${action} for health check: invalid argument`, {
      sentinel: "invalid argument",
    });
  }
  if (!(count >= 0) || !(size >= 0)) {
    throw new RequestError("invalid", "healthMaxLogCount and healthMaxLogSize must be 0 or more: invalid argument", {
      sentinel: "invalid argument",
    });
  }
  const check = healthconfig ? healthCheck(healthconfig) : undefined;
  const startup = startupHealthConfig ? startupCheck(startupHealthConfig) : undefined;
  const isPlain = (destination === "" || destination === "local") && count === 5 && size === 500;
  if (!check && !startup && action === 0 && isPlain) return undefined;
  return { check, startup, onFailure, log: { destination: destination || "local", count, size } };
}

/** Reads a check, in either tree: on the wire it has nanoseconds, and leaves out what is 0. */
export function healthCheck(config: Omit<StartupHealthCheck, "Successes">): Partial<HealthCheck> {
  const ms = (nanoseconds: number | undefined) => nanoseconds === undefined ? undefined : nanoseconds / 1e6;
  const all: { [K in keyof HealthCheck]: HealthCheck[K] | undefined } = {
    test: testOf(config.Test),
    interval: ms(config.Interval),
    timeout: ms(config.Timeout),
    startPeriod: ms(config.StartPeriod),
    startInterval: ms(config.StartInterval),
    retries: config.Retries,
  };
  // Only keys without a value go.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<HealthCheck>;
}

/** Some clients send the words in small letters. */
function testOf(test: readonly string[] | undefined): string[] | undefined {
  if (!test?.length) return undefined;
  const word = test[0].toUpperCase();
  if (word === "NONE") return [word];
  return word === "CMD" || word === "CMD-SHELL" ? [word, ...test.slice(1)] : [...test];
}

function startupCheck({ Successes, ...config }: StartupHealthCheck): Partial<StartupCheck> {
  return { ...healthCheck(config), successes: Successes };
}
