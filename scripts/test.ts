/**
 * `deno task test`: runs everything, in steps that say what they do. `--long` uses the full counts, `--only STEP[,STEP]` runs
 * a part (setup, static, doc, unit, conformance, hostile, rootless, host), and what follows `--` goes to `deno test` (`-- --filter name`).
 *
 * After the setup the steps run in two lanes, because tests of containers mostly wait for them: one lane alone leaves half of two
 * cores idle. Each line of a lane begins with its step.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { writeExampleTests } from "./doc_examples.ts";
import { setup } from "./setup.ts";
import { runRootlessStep } from "./test/rootless_step.ts";

const root = new URL("../", import.meta.url);
const started = performance.now();

interface Step {
  name: string;
  what: string;
  run(print: Print): Promise<Counts>;
}

type Print = (text: string) => void;

interface Counts {
  passed: number;
  failed: number;
}

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: { long: { type: "boolean", default: false }, only: { type: "string" } },
  allowPositionals: true,
});
const scratch = await Deno.makeTempDir({ prefix: "gantry-test-" });
const map = await testImportMap();
const extra = positionals;
// Bundles and programs that many tests need are made once in a run: tests/fixtures/platform/test_cache.ts.
const env: Record<string, string> = {
  GANTRY_TEST_CACHE: `${scratch}/cache`,
  ...values.long && { GANTRY_TEST_LONG: "1" },
};
await Deno.mkdir(env.GANTRY_TEST_CACHE);

/** Folders whose tests are other steps', or that hold none. */
const NOT_UNIT: readonly string[] = ["conformance", "host", "hostile", "rootless", "vm", "fixtures", "linux"];

/** Folders of the host suite that the first lane runs at its end, so that both lanes end together. */
const SECOND_PART: readonly string[] = ["build", "client"];

const first: Step[] = [{ name: "setup", what: "host packages", run: checkSetup }];
// The step `static` checks all types, those of the examples too, so that the others need not.
const lanes: Step[][] = [
  [
    { name: "static", what: "format, lint, type check", run: checkStatic },
    {
      name: "doc",
      what: "examples in docstrings and guides",
      run: async (print) =>
        runTests(
          ["--no-check", "--preload=tests/fixtures/failing_assert.ts"],
          [await writeExampleTests(root, docFiles(), await Deno.makeTempDir({ dir: scratch, prefix: "doc_" }))],
          print,
        ),
    },
    {
      name: "unit",
      what: "lib and handlers, without a kernel's help",
      run: (print) => runTests(["--no-check", "--parallel"], gatherTests("unit", ["tests"], NOT_UNIT), print),
    },
    {
      name: "conformance",
      what: "the same cases on Deno, Node and workerd",
      run: (print) => runTests(["--no-check"], gatherTests("conformance", ["tests/conformance"]), print),
    },
    {
      name: "hostile",
      what: "attackers: containers, images, registries, clients and web pages",
      run: (print) => runHostTests(["tests/hostile"], print),
    },
    {
      name: "host",
      what: "real containers, second part: builds and the client for programs",
      run: (print) => runHostTests(SECOND_PART.map((name) => `tests/host/${name}`), print),
    },
  ],
  [
    {
      name: "rootless",
      what: "host tests again, with the server of an ordinary user",
      run: (print) => runRootlessStep({ print, root, env, flags: [...map.args, ...extra] }),
    },
    {
      name: "host",
      what: "real containers, registries and clients",
      run: (print) => runHostTests(["tests/platform/linux", "tests/host"], print, SECOND_PART),
    },
  ],
];
const steps = [...first, ...lanes.flat()];

const only = values.only?.split(",");
const unknown = only?.filter((name) => !steps.some((step) => step.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(", ")}: choose from ${steps.map((step) => step.name).join(", ")}`);
  Deno.exit(2);
}

const total: Counts = { passed: 0, failed: 0 };
/** Lists of failed tests, said again at the end: in two lanes they get lost between other lines. */
const failures: string[] = [];
await runSteps(first, "");
const wanted = lanes.filter((lane) => lane.some(isWanted));
await Promise.all(wanted.map((lane) => runSteps(lane, wanted.length > 1 ? "step" : "")));
heading(`done in ${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const list of failures) console.log(list);
console.log(`${total.passed} passed, ${total.failed} failed`);
await Deno.remove(scratch, { recursive: true });
Deno.exit(total.failed > 0 ? 1 : 0);

function isWanted(step: Step): boolean {
  return !only || only.includes(step.name);
}

/** Runs steps one after the other; with `"step"` each of their lines begins with the step's name, for lanes side by side. */
async function runSteps(lane: Step[], prefix: "" | "step"): Promise<void> {
  for (const step of lane.filter(isWanted)) {
    heading(`${step.name}: ${step.what}`);
    const from = performance.now();
    const print = linePrinter(prefix === "" ? "" : `${step.name} | `);
    const counts = await step.run(print);
    total.passed += counts.passed;
    total.failed += counts.failed;
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    console.log(`-- ${step.name}: ${counts.passed} passed, ${counts.failed} failed, in ${seconds} s`);
  }
}

/** Prints whole lines only, so that lanes do not write into each other's. Without a prefix text is printed as it comes. */
function linePrinter(prefix: string): Print {
  const encoder = new TextEncoder();
  const write = (text: string) => {
    for (let bytes = encoder.encode(text); bytes.length > 0;) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  };
  if (prefix === "") return write;
  let begun = "";
  return (text) => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) write(`${prefix}${line}\n`);
  };
}

function heading(text: string): void {
  console.log(`\n== ${text}`);
}

async function checkSetup(): Promise<Counts> {
  const result = await setup({ test: true, long: values.long });
  return { passed: 1, failed: result.failed ? 1 : 0 };
}

async function checkStatic(print: Print): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0 };
  for (
    const args of [
      ["fmt", "--check", "--quiet"],
      ["lint", "--quiet"],
      ["check", "--doc", "--quiet", ...map.args, ...docFiles(), "scripts", "tests", "docs/examples"],
    ]
  ) {
    const { success } = await runDeno(args, print);
    console.log(
      `${success ? "ok" : "FAILED"}: deno ${args.filter((arg) => !arg.startsWith("--import-map")).join(" ")}`,
    );
    success ? counts.passed++ : counts.failed++;
  }
  return counts;
}

/** Host suites need Linux and root. Without them they are left out, aloud; with them a skipped test is a failure. */
async function runHostTests(paths: string[], print: Print, left: readonly string[] = []): Promise<Counts> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    console.log("left out: running containers needs Linux and root; this is " + Deno.build.os + ", uid " + Deno.uid());
    return { passed: 0, failed: 0 };
  }
  return await runTests(["--no-check"], gatherTests("host", paths, left), print);
}

function docFiles(): string[] {
  return ["mod.ts", "lib", "handlers", "README.md", ...(exists("docs") ? ["docs"] : [])];
}

/**
 * Writes a module for each folder of tests, which imports its files, and returns the modules' paths. A module of its own costs each file
 * a third of a second, to load once more what its neighbours have loaded.
 */
function gatherTests(step: string, folders: readonly string[], left: readonly string[] = []): string[] {
  const modules: string[] = [];
  const walk = (folder: string) => {
    const entries = [...Deno.readDirSync(new URL(`${folder}/`, root))];
    const files = entries.filter(({ name }) => name.endsWith("_test.ts")).map(({ name }) => `${folder}/${name}`).sort();
    if (files.length > 0) {
      const path = `${scratch}/${step}_${folder.replaceAll("/", "_")}_test.ts`;
      const imports = files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};\n`);
      Deno.writeTextFileSync(path, imports.join(""));
      modules.push(path);
    }
    for (const { name, isDirectory } of entries) {
      if (isDirectory && !left.includes(name)) walk(`${folder}/${name}`);
    }
  };
  folders.forEach(walk);
  return modules.sort();
}

/** Runs `deno test` and counts from its closing line; a run that skips or executes nothing counts as failed. */
async function runTests(flags: string[], paths: string[], print: Print): Promise<Counts> {
  const args = ["test", "-A", "--quiet", ...flags, ...map.args, ...extra, ...paths];
  const { success, output } = await runDeno(args, print);
  // deno-lint-ignore no-control-regex -- colours of the terminal
  const text = output.replace(/\x1b\[[0-9;]*m/g, "");
  const closing = text.match(/\| (\d+) passed (?:\([^)]*\) )?\| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/);
  const passed = Number(closing?.[1] ?? 0);
  const failed = Number(closing?.[2] ?? 0);
  const ignored = Number(closing?.[3] ?? 0);
  if (ignored > 0) console.log(`FAILED: ${ignored} ignored, and a test that does not run proves nothing`);
  const list = text.match(/ FAILURES [^]*?(?=\nFAILED \|)/);
  if (list) failures.push(list[0].trim());
  const broken = !success && failed === 0 ? 1 : 0;
  return { passed, failed: failed + ignored + broken + (passed + failed === 0 && extra.length === 0 ? 1 : 0) };
}

async function runDeno(args: string[], print: Print): Promise<{ success: boolean; output: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    // Only the end is read again, for the closing line.
    output = (output + text).slice(-16_384);
    print(text);
  }
  return { success: (await child.status).success, output };
}

/** Where JSR cannot be reached, a map that swaps `@std/assert` for `tests/assert.ts` (the same names over `node:assert`). */
async function testImportMap(): Promise<{ args: string[] }> {
  try {
    const response = await fetch("https://jsr.io/@std/assert/meta.json", { signal: AbortSignal.timeout(4000) });
    await response.body?.cancel();
    if (response.ok) return { args: [] };
  } catch {
    // Not reachable: the map below serves.
  }
  const config: { imports: Record<string, string> } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  // In deno.json a package's name stands for its subpaths too; in a plain import map those are said apart.
  const subpaths = Object.entries(config.imports).filter(([, target]) => target.startsWith("npm:"))
    .map(([name, target]) => [`${name}/`, `${target.replace("npm:", "npm:/")}/`]);
  const assert = { "@std/assert": new URL("tests/assert.ts", root).href };
  const path = `${scratch}/import_map.json`;
  await Deno.writeTextFile(
    path,
    JSON.stringify({ imports: { ...config.imports, ...Object.fromEntries(subpaths), ...assert } }),
  );
  console.log("JSR cannot be reached: tests use tests/assert.ts in place of @std/assert");
  return { args: [`--import-map=${path}`] };
}

function exists(path: string): boolean {
  try {
    Deno.statSync(new URL(path, root));
    return true;
  } catch {
    return false;
  }
}
