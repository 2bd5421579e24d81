import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { VERSION } from "../../engine/info.ts";
import { messageOf } from "../../oci/message_of.ts";
import { diagnoseHost } from "../doctor/diagnose.ts";
import { checkThisHost, type HostCheck } from "../doctor/host_check.ts";
import { openHost } from "../linux/host.ts";
import { parseServeOptions } from "./serve_options.ts";

/**
 * `gantry doctor`: tells what works on this machine, what does not, and what to install. It changes nothing.
 *
 * @param check Gathers the facts; this machine's by default
 * @param print Prints a line
 * @returns The exit code: 1 where containers cannot run
 */
export async function doctorCommand(
  check: () => Promise<HostCheck> = checkWithTrial,
  print: (line: string) => void = (line) => console.log(line),
): Promise<number> {
  const host = await check();
  const { findings, install, runs } = diagnoseHost(host);
  const { distribution, kernel, arch, runtime, os, cgroups } = host;
  const system = [
    distribution.name || os,
    `kernel ${kernel}`,
    arch,
    runtime,
    ...os === "linux" ? [`cgroups ${cgroups}`] : [],
  ];
  print(`gantry ${VERSION} on ${system.join(", ")}`);
  print("");
  for (const { state, text } of findings) print(`${state.padEnd(6)} ${text}`);
  if (install.length > 0) {
    print("");
    print(`To install what is missing${install.length > 1 ? ", by your distribution" : ""}:`);
    for (const command of install) print(`  ${command}`);
  }
  print("");
  print(runs ? "Containers can run here: gantry serve" : "Containers cannot run here. All else of gantry serve does.");
  return runs ? 0 : 1;
}

/** The facts about this machine, and whether a host opens on it: in folders of its own, which are removed. */
async function checkWithTrial(): Promise<HostCheck> {
  const { root } = parseServeOptions([], process.env);
  const facts = await checkThisHost(root);
  if (facts.os !== "linux") return facts;
  const folder = await mkdtemp(join(tmpdir(), "gantry-doctor-"));
  try {
    const host = await openHost({ root: join(folder, "root"), runroot: join(folder, "run") });
    await host.close();
    return facts;
  } catch (error) {
    return { ...facts, trial: messageOf(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
