/**
 * `deno task deb`: makes a Debian package of Gantry in `dist/`: the command in one file, the Deno that runs it (Debian has none), units of
 * systemd, and a page for `man`. `--deno FILE --arch arm64` make that of another architecture, by a Deno for it.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { makeProgram, type ProgramFiles } from "./package/program_files.ts";
import { controlFile, MAINTAINER_SCRIPTS, packageFiles } from "./package/deb_files.ts";

const root = new URL("../", import.meta.url);

/** Choices of {@linkcode buildDeb}. */
export interface DebOptions {
  /** The folder that the package is put into. */
  folder: string;
  /** Debian's name of the architecture; this machine's by default. */
  arch?: string;
  /** The Deno in it; the one that runs this by default. */
  deno?: string;
  /** The command, where it is made already. */
  program?: ProgramFiles;
  /** The version of deno.json by default. */
  version?: string;
  /** Compressed quickly rather than well. */
  fast?: boolean;
}

/** Makes the package and returns its path. Throws `Error` with what `dpkg-deb` says where that fails. */
export async function buildDeb(
  { folder, deno = Deno.execPath(), fast = false, ...options }: DebOptions,
): Promise<string> {
  const { version } = options.version === undefined
    ? JSON.parse(await Deno.readTextFile(new URL("deno.json", root)))
    : options;
  const arch = options.arch ?? (Deno.build.arch === "aarch64" ? "arm64" : "amd64");
  const program = options.program ?? await makeProgram();
  const license = await Deno.readTextFile(new URL("LICENSE", root));
  const changes = await Deno.readTextFile(new URL("CHANGELOG.md", root));
  const tree = await Deno.makeTempDir({ prefix: "gantry-deb-" });
  try {
    await copyFile(deno, `${tree}/usr/lib/gantry/deno`);
    let bytes = (await Deno.stat(deno)).size;
    for (const [path, { content, mode }] of await packageFiles({ version, program, license, changes })) {
      await writeFile(`${tree}${path}`, content, mode);
      bytes += content.length;
    }
    await writeFile(`${tree}/DEBIAN/control`, controlFile({ version, arch, size: Math.ceil(bytes / 1024) }), 0o644);
    for (const [name, text] of Object.entries(MAINTAINER_SCRIPTS)) {
      const mode = name === "conffiles" ? 0o644 : 0o755;
      await writeFile(`${tree}/DEBIAN/${name}`, text, mode);
    }
    await Deno.chmod(tree, 0o755);
    await Deno.mkdir(folder, { recursive: true });
    const file = `${folder}/gantry_${version}_${arch}.deb`;
    const level = fast ? "-z1" : "-z19";
    const command = new Deno.Command("dpkg-deb", {
      args: ["--root-owner-group", "-Zzstd", level, "--build", tree, file],
      stdout: "null",
      stderr: "piped",
    });
    const { success, stderr } = await command.output();
    if (!success) throw new Error(`Make the package: ${new TextDecoder().decode(stderr).trim()}`);
    return file;
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true, mode: 0o755 });
  await Deno.copyFile(from, to);
  await Deno.chmod(to, 0o755);
}

async function writeFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o755 });
  await Deno.writeFile(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
  // The mask of whoever makes the package has no say in it.
  await Deno.chmod(path, mode);
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      folder: { type: "string", default: new URL("dist", root).pathname },
      arch: { type: "string" },
      deno: { type: "string" },
      fast: { type: "boolean", default: false },
    },
  });
  const file = await buildDeb(values);
  console.log(`${file}: ${((await Deno.stat(file)).size / 2 ** 20).toFixed(0)} MiB; "apt install ${file}" installs it`);
}
