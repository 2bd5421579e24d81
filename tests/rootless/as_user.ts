/**
 * Loaded before host tests that run with an ordinary user's server: leaves out the tests and steps of `skipped_tests.ts`, and gives
 * the user the temporary folders of the tests.
 *
 * @module
 */
import { leaveOut } from "../fixtures/leave_out.ts";
import { LONG_ROOTLESS_FILES, ROOTLESS_FILES } from "./skipped_tests.ts";

leaveOut([...ROOTLESS_FILES, ...LONG_ROOTLESS_FILES]);

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
