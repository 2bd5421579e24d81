/**
 * The tests that run in the virtual machine, and how.
 *
 * @module
 */
import { makeProgram } from "../package/program_files.ts";
import { buildDeb } from "../deb.ts";
import { BUILDX_PLUGIN, COMPOSE_PLUGIN } from "../later_debian/client_programs.ts";
import { setup } from "../setup.ts";
import { BOOT_AGAIN, runInMachine } from "./boot_machine.ts";
import { makeMachineDisk } from "./machine_disk.ts";

/** The files that run where nothing else is asked for: whatever depends on systemd, cgroups v2, journald, AppArmor or CRIU. */
export const CHOSEN: readonly string[] = [
  ...testsOf("tests/vm"),
  "tests/host/containers/lifecycle_test.ts",
  "tests/host/containers/resources_test.ts",
  "tests/host/containers/checkpoint_test.ts",
];

/** The folder of the tests of the Debian package: a file for each boot. */
const BOOTS = "tests/vm/boots";
/** The folder of the tests of a power cut: a file for before and one for after it. */
const CUT = "tests/vm/cut";

/** The import map in the machine, and the option that names it. */
const MAP = "/mnt/run/import_map.json";
const IMPORTS = `--import-map=${MAP}`;

/** Minutes that the machine has: its processor is emulated, and some twenty times slower. */
const MINUTES = 60;

/**
 * Runs tests in the machine and returns the exit code. Where it cannot boot, that is said, and is a failure.
 *
 * @param args Files, folders and options of `deno test`
 */
export function bootOrExplain(args: readonly string[]): Promise<number> {
  return bootMachine(testCommand(args));
}

/**
 * Runs host tests in the machine with the server of an ordinary user, and returns the exit code.
 *
 * @param files Files of `tests/rootless/skipped_tests.ts`; all of them where there are none
 */
export function bootRootless(files: readonly string[]): Promise<number> {
  return bootMachine(
    `deno run -A --no-check --quiet ${IMPORTS} scripts/vm/rootless_tests.ts ${quoteWords([MAP, ...files])}`,
  );
}

/**
 * Installs Gantry's Debian package in the machine, boots it again, and takes the package away. Returns the exit code of the tests about it.
 *
 * @param former A package that this one takes the place of; the same of a lower version by default
 */
export function bootPackage(former?: string): Promise<number> {
  const script = `export GANTRY_TEST_BOOTS=1
case $BOOT in
1) ${testCommand([`${BOOTS}/installed_test.ts`])} && exit ${BOOT_AGAIN} ;;
*) ${testCommand([`${BOOTS}/booted_again_test.ts`])} ;;
esac`;
  const fill = async (folder: string) => {
    const program = await makeProgram();
    const options = { folder, program, fast: true };
    if (former === undefined) {
      await Deno.rename(await buildDeb({ ...options, version: "0.0.1" }), `${folder}/former.deb`);
    } else await Deno.copyFile(former, `${folder}/former.deb`);
    await Deno.rename(await buildDeb(options), `${folder}/gantry.deb`);
  };
  return bootMachine(script, { mayBootAgain: true, fill });
}

/** Cuts the machine's power behind the answer to a client, boots it again, and returns the exit code of the tests about what it finds. */
export function bootAfterCut(): Promise<number> {
  const script = `export GANTRY_TEST_CUT=1
case $BOOT in
1) ${testCommand([`${CUT}/before_cut_test.ts`])} ;;
*) ${testCommand([`${CUT}/after_cut_test.ts`])} ;;
esac`;
  return bootMachine(script, { mayBootAgain: true });
}

/** The needs of a script in the machine. */
interface ScriptNeeds {
  mayBootAgain?: boolean;
  /** Puts into the machine's `/mnt/run` whatever the script reads. */
  fill?(folder: string): Promise<void>;
}

/** Runs a script at each boot, in the project's folder. */
async function bootMachine(script: string, { mayBootAgain, fill }: ScriptNeeds = {}): Promise<number> {
  const { failed, missing } = await setup({ machine: true });
  if (failed || missing.length > 0 || Deno.uid() !== 0) {
    const reason = missing.length > 0
      ? `${missing.join(", ")} cannot be had`
      : "making a machine's disk needs Linux and root";
    console.error(`test:vm: ${reason}: nothing was tested`);
    return 1;
  }
  const files = await makeMachineDisk((line) => console.error(`test:vm: ${line}`));
  const folder = await Deno.makeTempDir({ prefix: "gantry-vm-" });
  const root = new URL("../../", import.meta.url).pathname;
  try {
    await Deno.writeTextFile(`${folder}/import_map.json`, JSON.stringify(await testImports(root)));
    await fill?.(folder);
    console.error("test:vm: booting (a minute or two)");
    const code = await runInMachine(files, {
      script: `${PREPARE}\n${script}`,
      folder,
      shares: {
        repo: root,
        deno: new URL(".", `file://${Deno.execPath()}`).pathname,
        cache: await cacheFolder(),
        plugins: PLUGINS,
      },
      print: (text) => Deno.stdout.writeSync(new TextEncoder().encode(text)),
      minutes: MINUTES,
      mayBootAgain,
    });
    if (code !== undefined) return code;
    const end = (await Deno.readTextFile(`${folder}/console.log`).catch(() => "")).split("\n").slice(-15).join("\n");
    console.error(
      `test:vm: the machine ended before its tests did (or after ${MINUTES} minutes). Its console:\n${end}`,
    );
    return 1;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The folder of this machine in which the Docker client's plugins are: those of the machine's Debian are older. */
const PLUGINS = "/usr/local/lib";

/** Prepares a boot for tests. Deno's cache is laid under a folder in memory, since Deno writes there. */
const PREPARE =
  `mkdir -p /run/cow && mount -t tmpfs tmpfs /run/cow && mkdir -p /run/cow/upper /run/cow/work /root/.cache/deno
mount -t overlay overlay -o lowerdir=/mnt/cache,upperdir=/run/cow/upper,workdir=/run/cow/work /root/.cache/deno
cp /mnt/deno/deno /usr/local/bin/deno
for plugin in ${[COMPOSE_PLUGIN, BUILDX_PLUGIN].map((path) => path.slice(PLUGINS.length)).join(" ")}; do
  [ ! -e /mnt/plugins$plugin ] || install -D /mnt/plugins$plugin ${PLUGINS}$plugin
done
cd /mnt/repo
export DENO_NO_UPDATE_CHECK=1 NO_COLOR=1 GANTRY_TEST_VM=1`;

/** The files of tests that lie in a folder of the tree, and not in one below it. */
function testsOf(folder: string): string[] {
  const names = [...Deno.readDirSync(new URL(`../../${folder}`, import.meta.url))].map(({ name }) => name);
  return names.filter((name) => name.endsWith("_test.ts")).sort().map((name) => `${folder}/${name}`);
}

/** The shell's words that run tests. */
function testCommand(args: readonly string[]): string {
  return `deno test -A --no-check --quiet ${IMPORTS} ${quoteWords(args)}`;
}

/** Words as the shell reads them. */
function quoteWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

/** The imports of deno.json for a machine without a network, where JSR cannot be reached. */
async function testImports(root: string): Promise<{ imports: Record<string, string> }> {
  const { imports } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
  const packages = Object.entries<string>(imports).filter(([, target]) => target.startsWith("npm:"));
  const subpaths = packages.map(([name, target]) => [`${name}/`, `${target.replace("npm:", "npm:/")}/`]);
  return {
    imports: { ...imports, ...Object.fromEntries(subpaths), "@std/assert": "file:///mnt/repo/tests/assert.ts" },
  };
}

async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
