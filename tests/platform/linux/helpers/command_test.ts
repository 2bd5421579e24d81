import { assert, assertEquals } from "@std/assert";
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
