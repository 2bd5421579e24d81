/**
 * `deno task start-cost`: measures what a server costs before it does anything: the time until it is ready, its memory, and what the first
 * run fetches, under Deno and under Node. It prints the table of the README.
 *
 * @module
 */
import { bundle } from "./bundle.ts";
import { countDownloads } from "./package/count_downloads.ts";

const root = new URL("../", import.meta.url).pathname;

/** Starts of each server; the figures are medians. */
const RUNS = 7;

/** A way to start a server. */
interface Way {
  name: string;
  command: string[];
  /** The size in bytes of the download before the first start. */
  fetched: number;
}

/** The cost of one start. */
interface Cost {
  /** Milliseconds until the server says that it is ready. */
  ready: number;
  /** Memory then, in bytes: the resident set, proc_pid_status(5). */
  memory: number;
}

async function measureStart(command: readonly string[]): Promise<Cost> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-cost-" });
  const places = [
    `--root=${folder}/root`,
    `--runroot=${folder}/run`,
    `--listen=unix://${folder}/gantry.sock`,
    "--no-setup",
  ];
  try {
    const began = performance.now();
    const [program, ...args] = command;
    const child = new Deno.Command(program!, {
      args: [...args, ...places],
      cwd: root,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = child.stdout.getReader();
    const { done } = await lines.read();
    if (done) throw new Error(`Start ${command.join(" ")}: it ended before it was ready`);
    const ready = performance.now() - began;
    const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
    child.kill("SIGTERM");
    await lines.cancel();
    await child.status;
    return { ready, memory: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? NaN) * 1024 };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0)} MB`;
}

async function findNode(): Promise<string> {
  const command = new Deno.Command("npx", { args: ["-y", "node@24", "-p", "process.execPath"], stderr: "null" });
  return new TextDecoder().decode((await command.output()).stdout).trim();
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "gantry-cost-" });
  const file = `${folder}/gantry.mjs`;
  await Deno.writeTextFile(file, await bundle("lib/platform/entries/cli.ts", "node"));
  const { size } = await Deno.stat(file);
  const runtime = await countDownloads(["npx", "-y", `deno@${Deno.version.deno}`, "--version"], root);
  const packages = await countDownloads([Deno.execPath(), "task", "serve", "--help"], root);
  const node = await findNode();
  const ways: Way[] = [
    {
      name: "`task serve`, Deno",
      command: [Deno.execPath(), "run", "-A", "--config=scripts/serve/deno.json", "scripts/serve.ts"],
      fetched: packages.bytes,
    },
    { name: "one file, Deno", command: [Deno.execPath(), "run", "-A", "--no-config", file, "serve"], fetched: size },
    { name: "one file, Node 24", command: [node, file, "serve"], fetched: size },
  ];
  console.log("|                    | ready after | memory | first run fetches |\n| --- | --- | --- | --- |");
  const costs = new Map<Way, Cost[]>(ways.map((way) => [way, []]));
  // In turn, so that a busy moment of the machine falls on all of them. The first round fills caches.
  for (let run = 0; run <= RUNS; run++) {
    for (const way of ways) {
      const cost = await measureStart(way.command);
      if (run > 0) costs.get(way)!.push(cost);
    }
  }
  for (const [{ name, fetched }, measured] of costs) {
    const ready = medianOf(measured.map((cost) => cost.ready)).toFixed(0);
    const memory = inMegabytes(medianOf(measured.map((cost) => cost.memory)));
    console.log(`| ${name} | ${ready} ms | ${memory} | ${inMegabytes(fetched)} |`);
  }
  console.log(`\nDeno ${Deno.version.deno} itself by npx: ${inMegabytes(runtime.bytes)} fetched.`);
  console.log(`Packages of task serve: ${packages.packages}, ${inMegabytes(packages.bytes)} fetched.`);
  await Deno.remove(folder, { recursive: true });
}
