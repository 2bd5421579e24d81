import { assertEquals } from "@std/assert";

/** A program that counts its signals, and ends well when it is told to. */
const program = (isPatient: boolean) => `
import process from "node:process";
import { endSignal } from "${new URL("../../../lib/platform/entries/start/end_signal.ts", import.meta.url)}";
endSignal(${isPatient});
process.stdin.once("data", () => process.exit(0));
let count = 0;
process.on("SIGTERM", () => console.log(\`signal \${++count}\`));
console.log("ready");
`;

Deno.test("endSignal() ends the process at a second signal, unless it is patient: a parent's death may send several", async () => {
  for (const [isPatient, end] of [[true, 0], [false, 130]] as const) {
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    await Deno.writeTextFile(file, program(isPatient));
    const running = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", file],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = running.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const writer = running.stdin.getWriter();
    try {
      assertEquals((await reader.read()).value, "ready\n");
      running.kill("SIGTERM");
      assertEquals((await reader.read()).value, "signal 1\n");
      running.kill("SIGTERM");
      if (isPatient) {
        assertEquals((await reader.read()).value, "signal 2\n");
        await writer.write(new TextEncoder().encode("end\n"));
      }
      assertEquals((await running.status).code, end);
    } finally {
      await writer.close().catch(() => {});
      await reader.cancel();
      await Deno.remove(file);
    }
  }
});
