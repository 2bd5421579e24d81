import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { Sparse } from "../../../wire/emit.ts";
import type { SpecGenerator } from "../../../wire/containers/spec_generator.ts";

const SECOND = 1e9;
const WORDS = ["CMD", "CMD-SHELL", "NONE"];

/** Docker's health check in the native tree's form: 0 means the default there, and an interval that is not counted here. */
export function healthConfig({ Healthcheck: config }: CreateContainerConfig): Sparse<SpecGenerator["healthconfig"]> {
  if (!config) return null;
  const Test = testOf(config.Test ?? []);
  // Without a test of its own it changes the image's.
  if (Test.length === 0) return config;
  const { Interval, Timeout, Retries } = config;
  return {
    ...config,
    Test,
    Interval: Interval || 30 * SECOND,
    Timeout: Timeout || 30 * SECOND,
    Retries: Retries || 3,
  };
}

/** A test without one of the words is a line for the shell, or the words of a command. */
function testOf(test: string[]): string[] {
  if (test.length === 0 || WORDS.includes(test[0].toUpperCase())) return test;
  return test.length === 1 ? ["CMD-SHELL", ...test] : ["CMD", ...test];
}
