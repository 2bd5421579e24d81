/** Counts what a program fetches from npm's registry, by standing between them. */

/** The downloads of a program. */
export interface Downloads {
  /** Bytes of answers, as they came over the network where they say their length. */
  readonly bytes: number;
  /** Packages whose archives were fetched. */
  readonly packages: number;
}

/**
 * Runs a program with empty caches of npm and Deno, and counts what it fetches.
 *
 * @throws {Error} where the program fails, with what it said
 */
export async function countDownloads(command: readonly string[], cwd: string): Promise<Downloads> {
  const upstream = await registryOf();
  let bytes = 0;
  let packages = 0;
  /** Addresses of archives, which may lie on another host, by their paths here. */
  const archives = new Map<string, string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search, origin } = new URL(request.url);
    const accept = request.headers.get("accept") ?? "*/*";
    const address = archives.get(pathname) ?? `${upstream}${pathname}${search}`;
    const response = await fetch(address, { method: request.method, headers: { accept } });
    const body = new Uint8Array(await response.arrayBuffer());
    bytes += Number(response.headers.get("content-length")) || body.length;
    if (pathname.endsWith(".tgz")) {
      packages++;
      return new Response(body, { status: response.status });
    }
    // Archives are to come through here too.
    const text = new TextDecoder().decode(body).replace(/"tarball":\s*"([^"]+)"/g, (_, archive) => {
      const path = new URL(archive).pathname;
      archives.set(path, archive);
      return `"tarball":"${origin}${path}"`;
    });
    const type = response.headers.get("content-type") ?? "application/json";
    return new Response(text, { status: response.status, headers: { "content-type": type } });
  });
  const folder = await Deno.makeTempDir({ prefix: "gantry-fetch-" });
  try {
    const registry = `http://127.0.0.1:${server.addr.port}/`;
    // npx gives its own settings on, in small letters; Deno reads them in capitals.
    const npm = { npm_config_registry: registry, npm_config_cache: `${folder}/npm` };
    const env = {
      ...npm,
      NPM_CONFIG_REGISTRY: registry,
      NPM_CONFIG_CACHE: npm.npm_config_cache,
      DENO_DIR: `${folder}/deno`,
    };
    const [program, ...args] = command;
    const { success, stderr } = await new Deno.Command(program!, { args, cwd, env, stdout: "null", stderr: "piped" })
      .output();
    if (!success) throw new Error(`Run ${command.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
    return { bytes, packages };
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The registry of this machine's npm, without a slash at its end. */
async function registryOf(): Promise<string> {
  const { stdout } = await new Deno.Command("npm", { args: ["config", "get", "registry"], stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim().replace(/\/+$/, "");
}
