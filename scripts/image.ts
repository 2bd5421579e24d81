/**
 * `deno task image`: builds an image of Gantry with Gantry's own builder, and writes it to `dist/` as an archive of OCI. The image holds the
 * command, the Deno that runs it with its libraries, and the authorities of registries; nothing else of a distribution.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { openClient } from "../lib/platform/entries/client.ts";
import { openHostEngine } from "../lib/platform/entries/host_engine.ts";
import { makeProgram, type ProgramFiles } from "./package/program_files.ts";

const root = new URL("../", import.meta.url);

/** Choices of {@linkcode buildImage}. */
export interface ImageOptions {
  /** The archive's path. */
  file: string;
  /** The image's name; `gantry:VERSION` by default. */
  name?: string;
  /** The command, where it is made already. */
  program?: ProgramFiles;
}

/** The programs of a container see these, and no configuration of this machine. */
const FILES: Readonly<Record<string, string>> = {
  "etc/passwd": "root:x:0:0:root:/root:/usr/bin/gantry\nnobody:x:65534:65534:nobody:/:/usr/bin/gantry\n",
  "etc/group": "root:x:0:\nnobody:x:65534:\n",
  "etc/nsswitch.conf": "hosts: files dns\n",
  "etc/os-release": 'ID=gantry\nPRETTY_NAME="the image of Gantry"\n',
};

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Builds the image, and writes its archive. Needs a host on which containers can run. */
export async function buildImage({ file, program, ...options }: ImageOptions): Promise<{ id: string; name: string }> {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  const name = options.name ?? `gantry:${version}`;
  const folder = await Deno.makeTempDir({ prefix: "gantry-image-" });
  try {
    await writeContext(`${folder}/context`, program ?? await makeProgram());
    const engine = await openHostEngine({ root: `${folder}/root`, runroot: `${folder}/run` });
    try {
      await using client = await openClient(engine);
      const id = await client.build(`${folder}/context`, { tag: name, labels: imageLabels(version) });
      const archive = await engine.images.archives.save([name], { format: "oci-archive" });
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await Deno.writeFile(file, archive);
      return { id, name };
    } finally {
      await engine.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Makes the folder that the image is built from: `tree` is its root. */
async function writeContext(folder: string, program: ProgramFiles): Promise<void> {
  const tree = `${folder}/tree`;
  const deno = Deno.execPath();
  await copyInto(tree, deno, "/usr/bin/deno", 0o755);
  for (const library of await librariesOf(deno)) await copyInto(tree, library, library, 0o755);
  await copyInto(tree, CERTIFICATES, CERTIFICATES, 0o644).catch((error) => {
    // Deno brings some of its own.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const programs = Object.entries(program).map(([name, text]) => [`usr/lib/gantry/${name}`, text]);
  const files: Record<string, string> = { ...FILES, ...Object.fromEntries(programs) };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${tree}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true, mode: 0o755 });
    await Deno.writeTextFile(`${tree}/${path}`, text);
    await Deno.chmod(`${tree}/${path}`, 0o644);
  }
  for (const path of ["root", "run/gantry", "var/lib/gantry"]) {
    await Deno.mkdir(`${tree}/${path}`, { recursive: true, mode: 0o755 });
  }
  await Deno.mkdir(`${tree}/tmp`);
  await Deno.chmod(`${tree}/tmp`, 0o1777);
  await Deno.writeTextFile(`${folder}/Dockerfile`, DOCKERFILE);
}

const DOCKERFILE = `FROM scratch
COPY tree/ /
ENV HOME=/root DENO_NO_UPDATE_CHECK=1
VOLUME /var/lib/gantry
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/deno", "run", "-A", "--quiet", "--no-config", "/usr/lib/gantry/gantry.mjs"]
CMD ["serve", "--no-setup", "--listen", "unix:///run/gantry/gantry.sock"]
`;

/** Labels by the OCI image specification, "Pre-Defined Annotation Keys". */
function imageLabels(version: string): Record<string, string> {
  return {
    "org.opencontainers.image.title": "gantry",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "MIT",
  };
}

/** The files that the loader opens for a program, and the loader itself, ldd(1). */
async function librariesOf(program: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("ldd", { args: [program], stderr: "piped" }).output();
  if (!success) throw new Error(`List the libraries of ${program}: ${new TextDecoder().decode(stderr).trim()}`);
  return [...new TextDecoder().decode(stdout).matchAll(/(?:=> |^\s)(\/\S+) \(0x/gm)].map(([, path]) => path!);
}

async function copyInto(tree: string, from: string, to: string, mode: number): Promise<void> {
  await Deno.mkdir(`${tree}${to.slice(0, to.lastIndexOf("/"))}`, { recursive: true, mode: 0o755 });
  await Deno.copyFile(from, `${tree}${to}`);
  await Deno.chmod(`${tree}${to}`, mode);
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      file: { type: "string", default: new URL("dist/gantry-image.tar", root).pathname },
      name: { type: "string" },
    },
  });
  const { id, name } = await buildImage(values);
  const size = (await Deno.stat(values.file)).size / 2 ** 20;
  console.log(
    `${values.file}: ${size.toFixed(0)} MiB, ${name} ${id.slice(0, 12)}; "podman load -i" and "docker load -i" read it`,
  );
}
