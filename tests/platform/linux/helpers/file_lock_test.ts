import { assertEquals, assertRejects } from "@std/assert";
import { withFileLock } from "../../../../lib/platform/linux/helpers/file_lock.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "withFileLock() lets one run at a time, after a failure too, and another process's end frees it",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const path = `${folder}/lock`;
    try {
      let running = 0;
      let most = 0;
      await Promise.all(Array.from({ length: 8 }, () =>
        withFileLock(path, async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
        })));
      assertEquals(most, 1);
      await assertRejects(() => withFileLock(path, () => Promise.reject(new Error("it failed"))), Error, "it failed");
      const other = new Deno.Command("flock", {
        args: ["--no-fork", path, "sh", "-c", "echo held; exec sleep 60"],
        stdout: "piped",
      })
        .spawn();
      const reader = other.stdout.getReader();
      await reader.read();
      const waiting = withFileLock(path, () => Promise.resolve("ours"));
      assertEquals(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 100, "waits"))]), "waits");
      other.kill("SIGKILL");
      assertEquals(await waiting, "ours");
      await reader.cancel();
      await other.status;
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "withFileLock() says why it cannot lock",
  ignore,
  async fn() {
    await assertRejects(
      () => withFileLock("/nowhere/there/lock", () => Promise.resolve()),
      Error,
      "/nowhere/there/lock",
    );
  },
});
