/**
 * Loaded before host tests that run with an ordinary user's server: leaves out the tests and steps of `skipped_tests.ts`.
 *
 * @module
 */
import { SKIPPED_TESTS } from "./skipped_tests.ts";

const reasons = new Map(SKIPPED_TESTS.map(({ name, reason }) => [name, reason]));
const register = Deno.test;

/** The file that gets the names of what is left out. A file, since `deno test --quiet` drops the output of modules. */
const noted = Deno.env.get("GANTRY_TEST_LEFT_OUT");

/** Whether a test is left out; notes which, in one line that `rootless_step.ts` reads. */
function isLeftOut(name: string | undefined): boolean {
  const reason = name === undefined ? undefined : reasons.get(name);
  if (reason !== undefined && noted !== undefined) Deno.writeTextFileSync(noted, `${name}\n`, { append: true });
  return reason !== undefined;
}

/** A context whose steps are left out where they are listed. */
function withoutSteps(context: Deno.TestContext): Deno.TestContext {
  const step = (first: unknown, ...rest: unknown[]) => {
    const name = typeof first === "string" ? first : (first as { name?: string }).name;
    // The three forms of `step` are handed on as they came.
    return isLeftOut(name) ? Promise.resolve(true) : Reflect.apply(context.step, context, [first, ...rest]);
  };
  return Object.assign(Object.create(context), { step });
}

const wrapped = (first: unknown, ...rest: unknown[]) => {
  const options = typeof first === "object" ? first as Deno.TestDefinition : undefined;
  const run = options?.fn ?? rest.find((value) => typeof value === "function") ?? first;
  const name = typeof first === "string" ? first : options?.name ?? (run as { name: string }).name;
  if (isLeftOut(name)) return;
  const settings = options ?? rest.find((value) => typeof value === "object") ?? {};
  const fn = (context: Deno.TestContext) => (run as Deno.TestDefinition["fn"])(withoutSteps(context));
  register({ ...settings, name, fn });
};
Object.defineProperty(Deno, "test", { value: Object.assign(wrapped, register) });
