/** The image that a power cut meets, and the engine that makes and mends it. */
import type { Engine } from "../../../lib/engine/engine.ts";
import { openHostEngine } from "../../../lib/platform/entries/host_engine.ts";
import { noise } from "../../fixtures/images/host_rig.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";

if (Deno.env.get("GANTRY_TEST_CUT") === undefined || Deno.hostname() !== "gantry-vm") {
  throw new Error("These tests end the machine they run on: `deno task test:vm cut` boots one for them");
}

const FILES = 20;
/** The note that the first boot leaves the second lies outside the machine, which writes it at once. */
export const NOTE = "/mnt/run/cut.json";
export const ROOT = "/var/lib/gantry-cut";

/** The files of the layer. */
export function cutFiles(): { path: string; content: Uint8Array }[] {
  return Array.from({ length: FILES }, (_, at) => ({ path: `file${at}`, content: noise(200_000, at + 1) }));
}

/** The layer's archive, with a shell to run in it. */
export async function cutArchive(): Promise<Uint8Array> {
  const shell = { path: "bin/busybox", mode: 0o755, content: await Deno.readFile("/bin/busybox") };
  return buildTar([...cutFiles(), shell].map((file) => ({ type: "file" as const, ...file })));
}

/** Opens the engine, and collects what it says. */
export async function openCutEngine(): Promise<{ engine: Engine; said: string[] }> {
  const said: string[] = [];
  const log = (level: string, text: string) => void said.push(`${level}: ${text}`);
  return { engine: await openHostEngine({ root: ROOT, runroot: "/run/gantry-cut", log }), said };
}
