/**
 * `deno task test`: runs everything, in steps that say what they do. `--long` uses the full counts and runs the step `later`, `--only STEP[,STEP]` runs
 * some of them, and what follows `--` goes to `deno test`. With a filter (`-- --filter name`) only files that may hold such a test are
 * loaded, and nothing else is checked.
 *
 * After the setup the steps run side by side, in parts (`scripts/test/lanes.ts`). Each line begins with its part.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { writeExampleTests } from "./doc_examples.ts";
import { setup } from "./setup.ts";
import { failures, runDeno, runTests, type TestRun } from "./test/deno_run.ts";
import { filterOf, findTestFiles, selectFiltered, splitEvenly, writeTestModule } from "./test/gather.ts";
import { makeImportMap } from "./test/import_map.ts";
import { type Counts, inOrder, type Part, type Print, printHeading, runParts } from "./test/lanes.ts";
import { LATER_FOLDERS, runLaterStep } from "./test/later_step.ts";
import { runRootlessStep } from "./test/rootless_step.ts";
import { LONG_ROOTLESS_FILES, ROOTLESS_FILES } from "../tests/rootless/skipped_tests.ts";

const root = new URL("../", import.meta.url);
const started = performance.now();

/** The steps, in the order in which a reader names them. */
const STEPS: readonly string[] = [
  "setup",
  "static",
  "doc",
  "unit",
  "conformance",
  "hostile",
  "rootless",
  "host",
  "later",
];

/** Folders whose tests are other steps' or a part of their own, or that hold none. */
const NOT_UNIT: readonly string[] = [
  "conformance",
  "host",
  "hostile",
  "rootless",
  "vm",
  "fixtures",
  "linux",
  "package",
];

/** The unit tests are loaded by this many modules: enough for all processors until the end, and few enough to load little twice. */
const UNIT_MODULES = 10;

/**
 * The parts in the order in which they begin: long ones first, so that all lanes end together; the unit tests come late, since they alone use
 * more processors than one. With them early the whole took as long, and attackers ran beside the browsers of unit tests.
 */
const ORDER: readonly string[] = [
  "conformance",
  "host servers",
  "host groups",
  "host containers",
  "host hostile",
  "host compose",
  "host build",
  "host images",
  "host linux",
  "hostile",
  "rootless",
  "later",
  "unit packages",
  "unit",
  "doc",
  "static",
];

/** Parts of the host suite by the folders that they run. */
const HOST_PARTS: readonly [name: string, what: string, folders: readonly string[]][] = [
  ["groups", "pods, kube, files, the system, doors, a model of all", [
    "model",
    "pods",
    "kube",
    "files",
    "system",
    "doors",
  ]],
  ["containers", "containers", ["containers"]],
  ["hostile", "doors that a container or an image could open", ["hostile"]],
  ["compose", "compose, networks and volumes", ["compose", "networks", "volumes"]],
  ["build", "builds", ["build"]],
  ["images", "images and registries", ["images"]],
];

/** The step `rootless` makes an account and removes it; attackers must change nothing of the host, its accounts included. */
const ACCOUNTS = "accounts";

const { values, positionals: extra } = parseArgs({
  args: Deno.args,
  options: { long: { type: "boolean", default: false }, only: { type: "string" } },
  allowPositionals: true,
});
const only = values.only?.split(",");
const unknown = only?.filter((name) => !STEPS.includes(name)) ?? [];
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(", ")}: choose from ${STEPS.join(", ")}`);
  Deno.exit(2);
}

const filter = filterOf(extra);
const scratch = await Deno.makeTempDir({ prefix: "gantry-test-" });
const map = await makeImportMap(scratch);
// Bundles and programs that many tests need are made once in a run: tests/fixtures/platform/test_cache.ts.
const env: Record<string, string> = {
  GANTRY_TEST_CACHE: `${scratch}/cache`,
  ...values.long && { GANTRY_TEST_LONG: "1" },
};
await Deno.mkdir(env.GANTRY_TEST_CACHE);
const testRun: TestRun = { args: [...map, ...extra], filtered: extra.length > 0, env };

const chosen = new Set(selectFiltered(findTestFiles(["tests"], ["vm", "fixtures"]), extra));
const lanes = navigator.hardwareConcurrency + 2;
const total: Counts = { passed: 0, failed: 0 };
for (const parts of [[{ step: "setup", what: "host packages", run: checkSetup }], await partsOfAll()]) {
  const { passed, failed } = await runParts(parts.filter(({ step }) => isWanted(step)), lanes);
  total.passed += passed;
  total.failed += failed;
}
printHeading(`done in ${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const list of failures) console.log(list);
if (filter !== undefined && total.passed + total.failed <= 1) {
  console.log(`No test's name holds "${filter}"`);
  total.failed++;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
await Deno.remove(scratch, { recursive: true });
Deno.exit(total.failed > 0 ? 1 : 0);

function isWanted(step: string): boolean {
  return !only || only.includes(step);
}

/** The files below folders, or those of them that may hold a test which the user named. */
function wantedFiles(folders: readonly string[], left: readonly string[] = []): readonly string[] {
  return findTestFiles(folders, left).filter((file) => chosen.has(file));
}

/** The parts after the setup, in the order in which they begin. The step `static` checks all types, so that the others need not. */
async function partsOfAll(): Promise<Part[]> {
  return inOrder(await gatherParts(), ORDER);
}

async function gatherParts(): Promise<Part[]> {
  const parts = [
    ...testPart("conformance", "the same cases on Deno, Node and workerd", wantedFiles(["tests/conformance"])),
    ...hostParts(),
    ...testPart("unit", "packed packages, installed into empty folders", wantedFiles(["tests/package"]), {
      name: "packages",
    }),
    ...testPart("unit", "lib and handlers, without a kernel's help", wantedFiles(["tests"], NOT_UNIT), {
      modules: UNIT_MODULES,
      flags: ["--parallel"],
    }),
  ];
  if (filter !== undefined) return parts;
  const examples = await Deno.makeTempDir({ dir: scratch, prefix: "doc_" });
  return [
    ...parts,
    {
      step: "doc",
      what: "examples in docstrings and guides",
      run: async (print) =>
        runTests(
          testRun,
          ["--no-check", "--preload=tests/fixtures/failing_assert.ts"],
          [await writeExampleTests(root, docFiles(), examples)],
          print,
        ),
    },
    { step: "static", what: "format, lint, type check", run: checkStatic },
  ];
}

/** Host suites need Linux and root. Without them they are left out, aloud; with them a skipped test is a failure. */
function hostParts(): Part[] {
  if (!["host", "hostile", "rootless", "later"].some(isWanted)) return [];
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    console.log("left out: running containers needs Linux and root; this is " + Deno.build.os + ", uid " + Deno.uid());
    return [];
  }
  const rootlessFiles = values.long ? [...ROOTLESS_FILES, ...LONG_ROOTLESS_FILES] : ROOTLESS_FILES;
  const inParts = HOST_PARTS.flatMap(([, , folders]) => folders);
  const attackers = "attackers: containers, images, registries, clients and web pages";
  return [
    ...testPart("host", "servers, services and clients", wantedFiles(["tests/host"], inParts), { name: "servers" }),
    ...HOST_PARTS.flatMap(([name, what, folders]) =>
      testPart("host", what, wantedFiles(folders.map((folder) => `tests/host/${folder}`)), { name })
    ),
    ...testPart("host", "the kernel's side", wantedFiles(["tests/platform/linux"]), { name: "linux" }),
    ...testPart("hostile", attackers, wantedFiles(["tests/hostile"])).map((part) => ({ ...part, group: ACCOUNTS })),
    ...wantedFiles(["tests/host"]).some((file) => rootlessFiles.some(({ path }) => path === file))
      ? [{
        step: "rootless",
        what: "host tests again, with the server of an ordinary user",
        group: ACCOUNTS,
        run: (print: Print) => runRootlessStep(rootlessFiles, testRun, scratch, print),
      }]
      : [],
    ...laterPart(),
  ];
}

/** The host suite in a Debian of today's versions: in long runs, and where it is asked for by name. */
function laterPart(): Part[] {
  const files = wantedFiles(LATER_FOLDERS);
  if (files.length === 0 || !(values.long || only?.includes("later"))) return [];
  const what = "host tests again, with the programs of a later Debian";
  return [{ step: "later", what, run: (print: Print) => runLaterStep(files, testRun, scratch, print) }];
}

/** A part of test files; none where a filter leaves it no file. */
function testPart(
  step: string,
  what: string,
  files: readonly string[],
  options: { name?: string; modules?: number; flags?: readonly string[] } = {},
): Part[] {
  const { name, modules = 1, flags = [] } = options;
  if (files.length === 0) return [];
  const run = (print: Print) => {
    const paths = splitEvenly(files, modules).map((group, index) =>
      writeTestModule(scratch, [step, name, index].filter((part) => part !== undefined).join("_"), group)
    );
    return runTests(testRun, ["--no-check", ...flags], paths, print);
  };
  return [{ step, ...name !== undefined && { name }, what, run }];
}

async function checkSetup(): Promise<Counts> {
  const result = await setup({ test: true, long: values.long });
  const isLater = values.long || only?.includes("later");
  const failed = result.failed || (isLater && (await setup({ debian: true, long: true })).failed);
  return { passed: 1, failed: failed ? 1 : 0 };
}

async function checkStatic(print: Print): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0 };
  for (
    const args of [
      ["fmt", "--check", "--quiet"],
      ["lint", "--quiet"],
      ["check", "--doc", "--quiet", ...map, ...docFiles(), "scripts", "tests", "docs/examples"],
    ]
  ) {
    const { success } = await runDeno(args, env, print);
    console.log(
      `${success ? "ok" : "FAILED"}: deno ${args.filter((arg) => !arg.startsWith("--import-map")).join(" ")}`,
    );
    success ? counts.passed++ : counts.failed++;
  }
  return counts;
}

function docFiles(): string[] {
  return ["mod.ts", "lib", "handlers", "README.md", "docs"];
}
