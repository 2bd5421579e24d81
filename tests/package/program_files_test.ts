/** The program of packages that bring their own Deno, run where nothing of the tree is. */
import { assert, assertEquals } from "@std/assert";
import { fetchOver } from "../conformance/fetch_over.ts";
import { packagedProgram } from "../fixtures/platform/test_cache.ts";

/** Megabytes that an idle server may have for itself; it had 31 as this was written, and 42 of ES modules that are not minified. */
const IDLE = 34;

/** Megabytes that a process shares with no other, proc_pid_smaps(5). */
function ownMemory(pid: number): number {
  const rollup = Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
  return Number(/^Private_Dirty:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

async function runProgram(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-program-" });
  try {
    for (const [name, text] of Object.entries(await packagedProgram())) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("makeProgram() makes a program that serves from an empty folder and stops on SIGTERM", () =>
  runProgram(async (folder) => {
    const address = `unix://${folder}/gantry.sock`;
    const places = ["--no-setup", "--listen", address, "--root", `${folder}/root`, "--runroot", `${folder}/run`];
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-config", "gantry.mjs", "serve", ...places],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    try {
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      assertEquals((await reader.read()).value, `gantry: ready on ${address}\n`);
      for (const path of ["/_ping", "/v4.3.1/libpod/info", "/images/json", "/openapi.json"]) {
        assertEquals((await fetchOver(address, "GET", path)).status, 200, path);
      }
      child.kill("SIGTERM");
      assertEquals((await reader.read()).done, true);
    } finally {
      try {
        child.kill("SIGKILL");
      } catch { /* it has ended */ }
    }
    assertEquals((await child.status).code, 0);
  }));

Deno.test({
  name: "an idle server of makeProgram() takes little memory of its own",
  ignore: Deno.build.os !== "linux",
}, () =>
  runProgram(async (folder) => {
    const places = [`unix://${folder}/gantry.sock`, "--root", `${folder}/root`, "--runroot", `${folder}/run`];
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-config", "gantry.mjs", "serve", "--no-setup", "--listen", ...places],
      cwd: folder,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    try {
      const reader = child.stdout.getReader();
      assertEquals((await reader.read()).done, false);
      // It has done so once it has been idle for some seconds, which come late on a busy machine.
      for (let looks = 0; looks < 600 && ownMemory(child.pid) > IDLE; looks++) {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const own = ownMemory(child.pid);
      assert(own <= IDLE, `${own} MB`);
      await reader.cancel();
    } finally {
      child.kill("SIGTERM");
      await child.status;
    }
  }));
