import { assertEquals, assertRejects } from "@std/assert";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../lib/engine/errors.ts";
import { openHostEngine, proxyEnv, readRegistriesConf } from "../../../lib/platform/entries/host_engine.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-engine-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test(
  { name: "openHostEngine() lets one server at a time have a root and a runroot", ignore },
  () =>
    withFolder(async (folder) => {
      const at = (root: string, runroot: string) =>
        openHostEngine({ root: join(folder, root), runroot: join(folder, runroot) });
      const first = await at("root", "run");
      try {
        assertEquals((await stat(join(folder, "root/gantry.db"))).mode & 0o777, 0o600);
        const again = await assertRejects(() => at("root", "run2"), EngineError, "in use by another server");
        assertEquals(again.code, "in_use");
        await assertRejects(() => at("root2", "run"), EngineError, `belongs to root "${join(folder, "root")}"`);
        const beside = await at("root2", "run2");
        await beside.close();
      } finally {
        await first.close();
      }
      await (await at("root", "run")).close();
    }),
);

Deno.test("proxyEnv() takes what names a proxy, in either case, and nothing else", () => {
  const env = { http_proxy: "http://a.example", HTTPS_PROXY: "http://b.example", no_proxy: "", PATH: "/bin" };
  const { PATH: _, ...proxies } = env;
  assertEquals(proxyEnv(env), proxies);
});

Deno.test("readRegistriesConf() reads a file and its drop-ins in order", () =>
  withFolder(async (folder) => {
    const file = join(folder, "registries.conf");
    await assertRejects(() => readRegistriesConf(file), EngineError, file);
    await writeFile(file, "");
    assertEquals((await readRegistriesConf(file)).unqualifiedSearch, ["docker.io"]);
    await writeFile(file, 'unqualified-search-registries = ["a.example"]');
    await mkdir(`${file}.d`);
    await writeFile(join(`${file}.d`, "10.conf"), 'unqualified-search-registries = ["b.example"]');
    await writeFile(join(`${file}.d`, "20.conf"), '[[registry]]\nlocation = "c.example"\ninsecure = true');
    await writeFile(join(`${file}.d`, "30.bak"), "not read");
    const conf = await readRegistriesConf(file);
    assertEquals(conf.unqualifiedSearch, ["b.example"]);
    assertEquals(conf.registries.map(({ location, insecure }) => [location, insecure]), [["c.example", true]]);
  }));
