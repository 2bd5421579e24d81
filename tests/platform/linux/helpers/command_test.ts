import { assert, assertEquals, assertRejects } from "@std/assert";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";

Deno.test({
  name: "runCommand() keeps this process's environment from programs, but for where things are",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const names = ["GANTRY_TOKEN", "TAR_OPTIONS", "NOTIFY_SOCKET"];
    try {
      for (const name of names) Deno.env.set(name, "secret");
      const { stdout } = await runCommand("env", []);
      const given = stdout.trim().split("\n").map((line) => line.split("=")[0]);
      assert(given.includes("PATH"));
      assertEquals(given.filter((name) => names.includes(name)), []);
      assertEquals(stdout.includes("secret"), false);
    } finally {
      for (const name of names) Deno.env.delete(name);
    }
  },
});

Deno.test({
  name:
    "runCommand() has a program run to its end within a time that is longer than a timer's, and kills it after a short one",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await runCommand("sleep", ["0.3"], { timeout: 2 ** 40 });
    await assertRejects(() => runCommand("sleep", ["60"], { timeout: 50 }), Error, "no end after 50 ms");
  },
});
