import type { HealthWish } from "../../../../lib/engine/records/health_plan.ts";
import { healthCheck } from "../../../containers/spec/health.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";

const SECOND = 1e9;
const WORDS = ["CMD", "CMD-SHELL", "NONE"];

/** Docker's health check: 0 means the default, where the native tree has an interval that is not counted. */
export function dockerHealthWish({ Healthcheck: config }: CreateContainerConfig): HealthWish | undefined {
  if (!config) return undefined;
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

/** A test without one of the words is a line for the shell, or the words of a command. */
function withWord(test: string[]): string[] {
  if (test.length === 0 || WORDS.includes(test[0].toUpperCase())) return test;
  return test.length === 1 ? ["CMD-SHELL", ...test] : ["CMD", ...test];
}
