import { assertEquals } from "@std/assert";
import { Session } from "../fixtures/session.ts";
import { registriesConf } from "../fixtures/images/registry.ts";
import { ok, run } from "../fixtures/run.ts";
import { traces } from "../fixtures/traces.ts";

const root = new URL("../../", import.meta.url).pathname;

Deno.test("docs/examples/host_engine.ts runs a container and leaves nothing behind", async () => {
  await using session = await Session.start();
  const folder = await Deno.makeTempDir({ prefix: "gantry-example-" });
  try {
    await Deno.writeTextFile(`${folder}/registries.conf`, registriesConf(session.registry.host));
    const program = [Deno.execPath(), "run", "--quiet", "-A", "docs/examples/host_engine.ts"];
    const result = await run([...program, folder, session.image, "sh", "-c", "echo hello; exit 3"], { cwd: root });
    assertEquals(ok(result), "exit status 3\nhello\n");
    const { mounts, processes } = traces(folder);
    assertEquals({ mounts, processes }, { mounts: [], processes: [] });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
