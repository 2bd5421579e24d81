/**
 * Loaded before host tests that run with an ordinary user's server: leaves out the tests and steps of `skipped_tests.ts`, and gives
 * the user the temporary folders of the tests.
 *
 * @module
 */
import { LONG_ROOTLESS_FILES, ROOTLESS_FILES } from "./skipped_tests.ts";

/** The names that each file leaves out: another file may have a step of the same name. */
const skipped = new Map(
  [...ROOTLESS_FILES, ...LONG_ROOTLESS_FILES].map(({ path, skipped }) =>
    [path, new Set(skipped.map(({ name }) => name))] as const
  ),
);
const register = Deno.test;

/** The file that gets the names of what is left out. A file, since `deno test --quiet` drops the output of modules. */
const noted = Deno.env.get("GANTRY_TEST_LEFT_OUT");

/** Returns the path of the test file that is being loaded, from the root of the tree. */
function findTestPath(): string {
  return new Error().stack?.match(/\/(tests\/host\/[\w/]+\.ts):/)?.[1] ?? "";
}

/** Whether a test or a step is left out; notes which, in one line that `rootless_step.ts` reads. */
function isLeftOut(path: string, name: string | undefined): boolean {
  const isListed = name !== undefined && skipped.get(path)?.has(name) === true;
  if (isListed && noted !== undefined) Deno.writeTextFileSync(noted, `${path} ${name}\n`, { append: true });
  return isListed;
}

/** A context whose steps are left out where they are listed. */
function withoutSteps(path: string, context: Deno.TestContext): Deno.TestContext {
  const step = (first: unknown, ...rest: unknown[]) => {
    const name = typeof first === "string" ? first : (first as { name?: string }).name;
    // The three forms of `step` are handed on as they came.
    return isLeftOut(path, name) ? Promise.resolve(true) : Reflect.apply(context.step, context, [first, ...rest]);
  };
  return Object.assign(Object.create(context), { step });
}

const wrapped = (first: unknown, ...rest: unknown[]) => {
  const path = findTestPath();
  const options = typeof first === "object" ? first as Deno.TestDefinition : undefined;
  const run = options?.fn ?? rest.find((value) => typeof value === "function") ?? first;
  const name = typeof first === "string" ? first : options?.name ?? (run as { name: string }).name;
  if (isLeftOut(path, name)) return;
  const settings = options ?? rest.find((value) => typeof value === "object") ?? {};
  const fn = (context: Deno.TestContext) => (run as Deno.TestDefinition["fn"])(withoutSteps(path, context));
  register({ ...settings, name, fn });
};
Object.defineProperty(Deno, "test", { value: Object.assign(wrapped, register) });

/** The account's user and group, once it is known. */
let account: Promise<number[]> | undefined;

/** Numbers of the account that the step made. */
async function accountIds(): Promise<number[]> {
  const name = Deno.env.get("GANTRY_TEST_USER") ?? "root";
  return await Promise.all(["-u", "-g"].map(async (flag) => {
    const { stdout } = await new Deno.Command("id", { args: [flag, name] }).output();
    return Number(new TextDecoder().decode(stdout));
  }));
}

// The tests are root's, and nobody else may open a new folder of root's. Tests bind such folders into containers and name them to
// the server: they are the account's here, as they would be if the account ran the test.
const makeTempDir = Deno.makeTempDir;
Object.defineProperty(Deno, "makeTempDir", {
  value: async (options?: Deno.MakeTempOptions) => {
    const folder = await makeTempDir(options);
    const [uid, gid] = await (account ??= accountIds());
    await Deno.chown(folder, uid, gid);
    await Deno.chmod(folder, 0o755);
    return folder;
  },
});
