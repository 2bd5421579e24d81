/** The corpus of Dockerfiles, built here and by buildah. */
import { assertEquals } from "@std/assert";
import { decompress } from "../../../lib/engine/images/ingest/decompress.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { tarEntries } from "../../../lib/oci/tar/tar_entries.ts";
import { hostCodec } from "../../../lib/platform/codec.ts";
import { type BuildCase, BUILDS, CORPUS_CONTEXT } from "../../fixtures/build/build_corpus.ts";
import { BuildRig } from "../../fixtures/build/build_rig.ts";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { isLongRun } from "../../long_run.ts";

/** All of them in long runs, and one of these many else. */
const STRIDE = isLongRun ? 1 : 20;
const KEYS = [
  ..."Env Cmd Entrypoint WorkingDir User ExposedPorts Volumes Labels StopSignal Shell OnBuild Healthcheck".split(" "),
];
/** What every `RUN` of buildah leaves for its own mounts, and we do not. */
const LEFT_BEHIND = [
  "dev",
  "proc",
  "sys",
  "etc",
  "etc/hosts",
  "etc/hostname",
  "etc/resolv.conf",
  "run",
  "run/.containerenv",
  "run/secrets",
];

/** The facts about a file that do not depend on when it was made. */
type Tree = Record<string, string>;

Deno.test("the corpus of Dockerfiles gives the images that buildah makes of it", async (t) => {
  await using rig = await BuildRig.start();
  await using context = await ContextFolder.make(CORPUS_CONTEXT);
  await Deno.chmod(`${context.path}/script.sh`, 0o755);
  await using buildah = await Buildah.start(rig);
  const files = { ...CORPUS_CONTEXT };
  for (const one of BUILDS.filter(({ output }, at) => output !== undefined || at % STRIDE === 0)) {
    await t.step(one.name, async () => {
      const options = {
        files,
        buildArgs: one.args,
        format: "docker",
        ...one.target && { target: one.target },
      } as const;
      const { image, output } = await rig.build(one.text, options);
      if (one.output !== undefined) return assertEquals(output, one.output);
      const [own, other] = [await ownTree(rig, image), await buildah.build(one, context.path)];
      const { files: left = [], config: keys = [] } = one.differs ?? {};
      const isLeft = (path: string) => left.some((name) => path === name || path.startsWith(`${name}/`));
      const tree = { ...other.tree ?? own };
      for (const path of LEFT_BEHIND) if (!(path in own)) delete tree[path];
      const paths = [...new Set([...Object.keys(own), ...Object.keys(tree)])].filter((path) =>
        own[path] !== tree[path]
      );
      const shown = paths.filter((path) => !isLeft(path)).map((path) => `${path}: ${own[path]} | ${tree[path]}`);
      assertEquals(shown.sort(), []);
      const [mine, theirs] = [image.config.config ?? {}, other.config].map(plainConfig);
      const changed = KEYS.filter((key) => JSON.stringify(mine[key]) !== JSON.stringify(theirs[key]));
      assertEquals(changed.filter((key) => !keys.includes(key)).map((key) => [key, mine[key], theirs[key]]), []);
      // An explanation of what is no difference any more has to go.
      assertEquals([paths.some(isLeft), changed.length > 0], [left.length > 0, keys.length > 0]);
    });
  }
});

/** A store of buildah's with busybox in it. */
class Buildah implements AsyncDisposable {
  private constructor(readonly folder: string, readonly image: string) {}

  static async start({ image }: BuildRig): Promise<Buildah> {
    const buildah = new Buildah(await Deno.makeTempDir({ prefix: "gantry-buildah-" }), image);
    ok(await buildah.run("pull", "-q", "--tls-verify=false", `docker://${image}`));
    return buildah;
  }

  run(...args: string[]) {
    const { folder } = this;
    const store = [`--root=${folder}/root`, `--runroot=${folder}/run`, "--storage-driver=overlay"];
    return run(["buildah", ...store, ...args]);
  }

  /** Builds a case, and gives its files and config. */
  async build({ text, args = {}, target }: BuildCase, context: string): Promise<{ tree?: Tree; config: object }> {
    const file = `${this.folder}/Dockerfile`;
    await Deno.writeTextFile(file, text.replaceAll("IMAGE", this.image));
    const more = [
      ...Object.entries(args).map(([name, value]) => `--build-arg=${name}=${value}`),
      ...target ? [`--target=${target}`] : [],
    ];
    const flags = [
      "--format=docker",
      "--isolation=oci",
      "--runtime=runc",
      "--layers",
      "--pull-never",
      "--identity-label=false",
      // Its own are higher than a machine without CAP_SYS_RESOURCE may set.
      "--ulimit=nofile=1024:1024",
      "--ulimit=nproc=1024:1024",
      ...more,
    ];
    const id = ok(await this.run("build", "-q", ...flags, "-f", file, context), text).trim();
    const [{ Docker }] = [JSON.parse(ok(await this.run("inspect", "--type=image", id)))];
    // A container of it would run its triggers.
    if (Docker.config.OnBuild?.length > 0) return { config: Docker.config };
    const container = ok(await this.run("from", "--pull-never", id)).trim();
    try {
      const root = ok(await this.run("mount", container)).trim();
      const tar = new Deno.Command("tar", { args: ["-C", root, "-cf", "-", "."], stdout: "piped" }).spawn();
      const tree = await readTree(tar.stdout);
      await tar.status;
      return { tree, config: Docker.config };
    } finally {
      ok(await this.run("rm", container));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    ok(await this.run("rmi", "--all", "--force"));
    await run(["umount", `${this.folder}/root/overlay`]);
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function ownTree({ engine }: BuildRig, { id }: Readonly<ImageRecord>): Promise<Tree> {
  const { record } = await engine.containers.create({ image: id, entrypoint: [""], command: ["x"] });
  try {
    return await readTree(await engine.containers.files.export(record.id));
  } finally {
    await engine.containers.remove(record.id, { force: true });
  }
}

async function readTree(tar: ReadableStream<Uint8Array>): Promise<Tree> {
  const tree: Tree = {};
  const codec = hostCodec();
  const plain = await decompress(codec, tar);
  for await (const entry of tarEntries(plain, { entries: 1e5, bytes: 1e9 })) {
    const { path, kind, mode, uid, gid, link, size } = entry;
    if (path === "") continue;
    let digest = "";
    if (kind === "file") {
      const hash = codec.hash();
      for await (const bytes of entry.content()) await hash.update(bytes);
      digest = (await hash.digest()).slice(7, 19);
    }
    // Which of two names of one file is the link depends on the order.
    const to = kind === "symlink" ? link : "";
    const shown = kind === "hardlink" ? "file" : kind;
    tree[path] = `${shown} ${mode.toString(8)} ${uid}:${gid} ${to}${kind === "hardlink" ? "" : ` ${size} ${digest}`}`;
  }
  return tree;
}

/** A config without what clients take for nothing. */
function plainConfig(config: object): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
  // A stage without a folder of its own begins at the root.
  const entries = Object.entries(config).filter(([key, value]) => !(key === "WorkingDir" && value === "/"));
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
}
