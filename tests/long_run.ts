/** Whether this is a long run (`GANTRY_TEST_LONG=1`, which `deno task test:long` sets): more rounds, larger numbers, and the tests that need them. */
export const isLongRun: boolean = Deno.env.get("GANTRY_TEST_LONG") === "1";

/** Registers a test in long runs only: one that is left out counts as a failure. */
export const registerLong: (name: string, run: (t: Deno.TestContext) => void | Promise<void>) => void = isLongRun
  ? Deno.test
  : () => {};
