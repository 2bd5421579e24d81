import type { HealthWish } from "../../../../lib/engine/records/health_plan.ts";
import { healthCheck } from "../../../containers/spec/health.ts";
import { RequestError } from "../../../request_error.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";

const SECOND = 1e9;
/** Docker's bound. */
const SHORTEST = 1e6;
const WORDS = ["CMD", "CMD-SHELL", "NONE"];

/** The times of a check, in nanoseconds. */
type Times = Partial<Record<"Interval" | "Timeout" | "StartPeriod" | "StartInterval", number>>;

/** Docker's health check: 0 means the default, where the native tree has an interval that is not counted. */
export function dockerHealthWish({ Healthcheck: config }: CreateContainerConfig): HealthWish | undefined {
  if (!config) return undefined;
  refuseShortTimes(config);
  const Test = withWord(config.Test ?? []);
  // Without a test of its own it changes the image's.
  if (Test.length === 0) return { check: healthCheck(config) };
  const { Interval, Timeout, Retries } = config;
  return {
    check: healthCheck({
      ...config,
      Test,
      Interval: Interval || 30 * SECOND,
      Timeout: Timeout || 30 * SECOND,
      Retries: Retries || 3,
    }),
  };
}

/** Times are nanoseconds on the wire: fewer than a million are seconds or milliseconds of a client that took them for those. */
function refuseShortTimes({ Interval, Timeout, StartPeriod, StartInterval }: Times): void {
  for (const [name, time = 0] of Object.entries({ Interval, Timeout, StartPeriod, StartInterval })) {
    if (time <= 0 || time >= SHORTEST) continue;
    throw new RequestError("malformed", `${name} in Healthcheck cannot be less than 1ms: it is ${time} nanoseconds`, {
      field: `Healthcheck.${name}`,
    });
  }
}

/** A test without one of the words is a line for the shell, or the words of a command. */
function withWord(test: string[]): string[] {
  if (test.length === 0 || WORDS.includes(test[0].toUpperCase())) return test;
  return test.length === 1 ? ["CMD-SHELL", ...test] : ["CMD", ...test];
}
