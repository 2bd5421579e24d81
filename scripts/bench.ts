/**
 * `deno task bench`: Gantry against Debian's Podman service on the same machine, and the transport against Hono, itty-router, h3
 * and oRPC, all in one run.
 * Figures are printed with their ratios, never asserted; at the end all ratios once more, the smallest first. `--markdown` makes a Markdown
 * table of these, and `--save FILE` writes it to a file, too. `--later-debian` measures today's Podman, Docker and crun, those of a later
 * Debian in a folder. `--cycles N`, `--containers N`, `--running N` and `--only` make it shorter: `--only dispatch`, `http`, `workload`,
 * `channels` or `engine` runs one part, and `--only images`, `containers`, `streams`, `requests`, `lives`, `files`, `sandboxes`, `volumes`, `networks`, `pods` or
 * `builds` one group of the engine's lines. Several are written with commas: `--only volumes,networks`. `--only growth` measures what
 * 1,000 and 10,000 containers, images, networks and volumes cost, beside 100 of them; it takes many minutes, and runs only by its name.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { busyboxImage, pushImage } from "../tests/fixtures/images/image_builder.ts";
import { registriesConf, startRegistry } from "../tests/fixtures/images/registry.ts";
import { channelLines } from "./bench/channel_bench.ts";
import { dispatchLines } from "./bench/dispatch_bench.ts";
import { DOCKER_GROUPS, ENGINE_GROUPS, engineLines, type Line, NAMED_GROUPS } from "./bench/engine_bench.ts";
import { httpLines } from "./bench/http_bench.ts";
import { startBare, startDocker, startGantry, startPodman } from "./bench/peers.ts";
import { type RatioRow, ratioTable, shortNumber } from "./bench/report/ratio_table.ts";
import { workloadLines } from "./bench/workload/workload_bench.ts";
import { openLaterDebian } from "./later_debian/debian_folder.ts";
import { setup } from "./setup.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    cycles: { type: "string", default: "8" },
    containers: { type: "string", default: "500" },
    running: { type: "string", default: "300" },
    only: { type: "string" },
    "later-debian": { type: "boolean", default: false },
    "no-setup": { type: "boolean", default: false },
    save: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});

if (values["later-debian"]) {
  await setup({ debian: true });
  // The table is written there, and found here.
  const save = values.save === undefined ? undefined : resolve(values.save);
  const args = Deno.args.filter((arg) => arg !== "--later-debian");
  Deno.exit(await benchInLaterDebian(save === undefined ? args : [...args, `--save=${save}`], save));
}
const ratios: RatioRow[] = [];
const PARTS = ["dispatch", "http", "workload", "channels", "engine"];
const only = values.only?.split(",") ?? PARTS;
const unknown = only.find((name) => !PARTS.includes(name) && !ENGINE_GROUPS.includes(name));
if (unknown !== undefined) {
  console.error(`Bench: there is no "${unknown}" to run alone; there are ${[...PARTS, ...ENGINE_GROUPS].join(", ")}`);
  Deno.exit(2);
}
// A peer that fails in one line takes none of the others' away.
try {
  await measureParts();
} finally {
  const table = ratioTable(ratios, values.markdown);
  console.log(`\nAll ratios, the smallest first:\n\n${table}`);
  if (values.save !== undefined) await Deno.writeTextFile(values.save, table);
}

async function measureParts(): Promise<void> {
  if (only.includes("dispatch")) {
    for await (const { table, requests, rates } of dispatchLines(5)) {
      rateRow(`dispatch over ${table}, ${requests} paths`, rates);
    }
  }
  if (only.includes("http")) { for await (const { what, rates } of httpLines(5)) rateRow(what, rates); }
  if (only.includes("workload")) { for await (const { what, rates } of workloadLines(5)) rateRow(what, rates); }
  if (only.includes("channels")) {
    for await (const { what, rates } of channelLines(5)) {
      rateRow(what, rates, "values");
    }
  }
  const groups = ENGINE_GROUPS.filter((name) =>
    only.includes(name) || only.includes("engine") && !NAMED_GROUPS.includes(name)
  );
  if (groups.length > 0) await benchEngine(groups);
}

/** Runs this bench once more, with these arguments, in the later Debian, and returns its exit code. */
async function benchInLaterDebian(args: readonly string[], save: string | undefined): Promise<number> {
  await using later = await openLaterDebian({
    shown: save === undefined ? [] : [dirname(save)],
    cgroups: "legacy",
  });
  const words = [...later.words, Deno.execPath(), "run", "-A", "--quiet", "scripts/bench.ts", "--no-setup", ...args];
  const { code } = await new Deno.Command(words[0], { args: words.slice(1), env: later.env }).spawn().status;
  return code;
}

async function benchEngine(groups: readonly string[]): Promise<void> {
  // The later Debian has all that it needs.
  if (!values["no-setup"]) await setup({ test: true });
  const folder = await Deno.makeTempDir({ prefix: "gantry-bench-" });
  const registry = await startRegistry();
  try {
    await pushImage(registry.url, "bench/busybox:latest", busyboxImage());
    await pushImage(registry.url, "bench/big:latest", busyboxImage({ layers: bigLayers() }));
    await Deno.writeTextFile(`${folder}/registries.conf`, registriesConf(registry.host));
    await using gantry = await startGantry(folder, `${folder}/registries.conf`);
    await using podman = await startPodman(folder, `${folder}/registries.conf`);
    const counts = {
      cycles: Number(values.cycles),
      containers: Number(values.containers),
      running: Number(values.running),
      repeats: 20,
    };
    await using docker = groups.some((group) => DOCKER_GROUPS.includes(group)) ? await startDocker(folder) : undefined;
    await using bare = await startBare(folder);
    const bench = { gantry, podman, docker, bare, registry: registry.host, emptyRegistry: startRegistry, counts };
    for await (const line of engineLines(bench, groups)) {
      for (
        const [peer, theirs] of [
          ["podman", line.podman],
          ["docker", line.docker],
          ["node:http", line.floor],
          ["100 of them", line.before],
        ] as const
      ) {
        if (theirs !== undefined) row(line, peer, theirs);
      }
    }
  } finally {
    await registry.close();
    const unmount = `grep -o " ${folder}[^ ]*" /proc/self/mountinfo | sort -r | xargs -r umount -l; rm -rf ${folder}`;
    await new Deno.Command("sh", { args: ["-c", unmount] }).output();
  }
}

/** Five layers of 20 MB that do not compress, in files of 100 kB. */
function bigLayers() {
  return Array.from({ length: 5 }, (_, layer) => ({
    gzip: true,
    entries: Array.from({ length: 200 }, (_, file) => {
      const content = new Uint8Array(100_000);
      for (let at = 0; at < content.length; at += 50_000) crypto.getRandomValues(content.subarray(at, at + 50_000));
      return { type: "file" as const, path: `big-${layer}-${file}`, content };
    }),
  }));
}

function row({ what, unit, higher, gantry, aim }: Line, peer: string, theirs: number): void {
  const ratio = higher ? gantry / theirs : theirs / gantry;
  ratios.push({ what, unit, gantry, peer, theirs, ratio, aim });
  const aimed = aim === undefined ? "" : ` (aim ${aim})`;
  const figures = `gantry ${shortNumber(gantry)}, ${peer} ${shortNumber(theirs)} ${unit}`;
  console.log(`${what}: ${figures}; ratio ${ratio.toFixed(2)}${aimed}`);
}

/** Requests (or values) per second of every peer, and how many times each of theirs ours is. */
function rateRow(what: string, { gantry, ...peers }: Record<string, number>, unit = "requests"): void {
  for (const [peer, theirs] of Object.entries(peers)) {
    ratios.push({ what, unit: `${unit}/s`, gantry, peer, theirs, ratio: gantry / theirs });
  }
  const others = Object.entries(peers).map(([name, rate]) =>
    `${name} ${shortNumber(rate)} (ratio ${(gantry / rate).toFixed(2)})`
  );
  console.log(`${what}: gantry ${shortNumber(gantry)} ${unit}/s, ${others.join(", ")}`);
}
