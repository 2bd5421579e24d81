/** `task serve` runs the packages that its lock names, and no others. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { USAGE } from "../../../lib/platform/entries/start/usage.ts";

const root = new URL("../../../", import.meta.url).pathname;

interface Lock {
  npm: Record<string, { integrity: string }>;
}

const lock: Lock = JSON.parse(await Deno.readTextFile(`${root}scripts/serve/deno.lock`));

async function deno(args: string[], env: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const command = new Deno.Command(Deno.execPath(), { args, cwd: root, env: { NO_COLOR: "1", ...env } });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test("task serve names its packages in a frozen lock, and installs nothing else", async () => {
  const { tasks, nodeModulesDir } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
  assertEquals(tasks.serve, "deno run -A --config=scripts/serve/deno.json scripts/serve.ts");
  // With "auto", deno task installs the packages of every import of deno.json before it runs anything.
  assertEquals(nodeModulesDir, "manual");
  const config = JSON.parse(await Deno.readTextFile(`${root}scripts/serve/deno.json`));
  assertEquals(config, { nodeModulesDir: "none", lock: { path: "deno.lock", frozen: true } });
  assertEquals(Object.keys(lock.npm).map((name) => name.replace(/@[^@]*$/, "")), [
    "@bufbuild/protobuf",
    "smol-toml",
    "ws",
    "yaml",
    "zod",
  ]);
  for (const { integrity } of Object.values(lock.npm)) assert(integrity.startsWith("sha512-"), integrity);
});

Deno.test("task serve --help answers before packages are fetched, and without a network", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-lock-" });
  try {
    // Nobody listens there.
    const env = { DENO_DIR: folder, NPM_CONFIG_REGISTRY: "http://127.0.0.1:1/" };
    for (const args of [["--help"], ["--root", "/tmp/x", "-h"]]) {
      const { code, text } = await deno(["task", "--quiet", "serve", ...args], env);
      assertEquals([code, text], [0, `${USAGE.trimEnd()}\n`]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("defect: task serve refuses a package that is not what its lock says", async () => {
  let asked = 0;
  const registry = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname.endsWith(".tgz")) {
      asked++;
      return new Response("another package");
    }
    const name = pathname.slice(1);
    const version = Object.keys(lock.npm).find((key) => key.startsWith(`${name}@`))?.slice(name.length + 1) ?? "";
    const dist = { tarball: `${origin}/${name}.tgz` };
    return Response.json({ name, "dist-tags": { latest: version }, versions: { [version]: { name, version, dist } } });
  });
  const folder = await Deno.makeTempDir({ prefix: "gantry-lock-" });
  try {
    const env = { DENO_DIR: folder, NPM_CONFIG_REGISTRY: `http://127.0.0.1:${registry.addr.port}/` };
    const { code, text } = await deno(["task", "serve", "--log-level=loud"], env);
    assert(code !== 0 && asked > 0, text);
    assertStringIncludes(text, "checksum did not match");
  } finally {
    await registry.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("defect: task serve refuses to run a package that its lock does not name", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-lock-" });
  try {
    await Deno.writeTextFile(`${folder}/deno.json`, await Deno.readTextFile(`${root}scripts/serve/deno.json`));
    await Deno.writeTextFile(`${folder}/deno.lock`, JSON.stringify({ version: "5", specifiers: {}, npm: {} }));
    const { code, text } = await deno([
      "run",
      "-A",
      `--config=${folder}/deno.json`,
      "scripts/serve.ts",
      "--log-level=loud",
    ]);
    assert(code !== 0, text);
    assertStringIncludes(text, "The lockfile is out of date");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
