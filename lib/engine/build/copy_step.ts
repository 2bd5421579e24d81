import { EngineError } from "../errors.ts";
import type { ContainerRequest } from "../containers/request/container_request.ts";
import type { ImageRecord } from "../records/image_record.ts";
import { type BuildRun, type BuildSteps, type CommitStep, makeStep, stepLayer } from "./build_run.ts";
import { ARCHIVE_HEAD, isArchiveHead } from "./context/archive_head.ts";
import { copyArchive, digestItems, inArchiveOrder } from "./context/copy_archive.ts";
import { copyEntries } from "./context/copy_entries.ts";
import { NO_CONTENT } from "./context/file_tree.ts";
import { type CopyItem, selectFiles, walkFolder } from "./context/select_files.ts";
import type { CopyInstruction } from "./dockerfile/instructions.ts";
import { fetchSource, isURL } from "./sources/fetch_source.ts";
import { fetchGit, type GitPlace, parseGitURL } from "./sources/git_source.ts";
import { findSource, selectOfImage, sourceNamed } from "./sources/source_image.ts";
import { type Expand, joinWorkdir } from "./stage_config.ts";
import type { StageState } from "./stage_state.ts";

/** Everything of a copy that is settled before it is done. */
interface CopyPlan {
  keyword: string;
  /** Absolute. */
  destination: string;
  /** The destination is a folder, whatever is there. */
  isFolder: boolean;
  items: CopyItem[];
  isOneFile: boolean;
  /** Archives that are unpacked at the destination. */
  archives: CopyItem[];
  /** Git repositories, whose files go to the destination. */
  repositories: CopyItem[][];
  chown?: string;
  chmod?: number;
  keepOwners: boolean;
}

/** Copies files of the context, a stage, an image, the Dockerfile or a URL into the stage. */
export async function* copyFiles(
  run: BuildRun,
  state: StageState,
  instruction: CopyInstruction & { text: string },
  { stage, expand }: { stage: number; expand: Expand },
): BuildSteps<StageState> {
  const { is: keyword, text } = instruction;
  const from = instruction.from === undefined ? undefined : expand(instruction.from);
  const source = from === undefined ? { tree: run.context } : yield* findSource(run, sourceNamed(run, from, stage));
  const found = "image" in source ? source : undefined;
  const sources = instruction.sources.map((word) => expand(word));
  const to = expand(instruction.destination);
  const destination = joinWorkdir(state.config, to);
  const isFolder = /(?:^|\/)\.{0,2}$/.test(to) || destination === "/";
  const chown = instruction.chown === undefined ? undefined : expand(instruction.chown);
  const chmod = instruction.chmod === undefined ? undefined : parseMode(expand(instruction.chmod));
  const settle = async (): Promise<CopyPlan> => {
    const far = keyword === "ADD" ? sources.filter(isURL) : [];
    const local = sources.filter((text) => !far.includes(text));
    const places = far.flatMap((url) => parseGitURL(url) ?? []);
    const urls = far.filter((url) => parseGitURL(url) === undefined);
    const options = { keyword, parents: instruction.parents, exclude: instruction.exclude.map((word) => expand(word)) };
    const selection = "image" in source
      ? await selectOfImage(run, source.image, local, options)
      : selectFiles(source.tree, local, options);
    const inline = instruction.inline.map(({ name, content, expands }) => {
      return textItem(name, expands ? expand(content, true) : content);
    });
    const repositories: CopyPlan["repositories"] = [];
    for (const place of places) repositories.push(await fetchRepository(run, place, instruction));
    const fetched: CopyItem[] = [];
    for (const url of urls) fetched.push(await fetchSource(run, url, instruction.checksum));
    const isOneFile = inline.length + fetched.length + (local.length > 0 ? 1 : 0) === 1 &&
      (local.length === 0 || selection.isOneFile);
    const items = [...selection.items, ...inline, ...fetched];
    if (selection.sources + inline.length + fetched.length > 1 && !isFolder) {
      const rule = "the destination must be a directory and end with a /";
      throw new EngineError("invalid", `When using ${keyword} with more than one source file, ${rule}`);
    }
    const archives: CopyItem[] = [];
    if (keyword === "ADD" && instruction.unpack !== false) {
      for (const item of instruction.unpack ? items : selection.items) {
        if (!item.path.includes("/") && await isArchive(run, item)) archives.push(item);
      }
    }
    const rest = items.filter((item) => !archives.includes(item));
    const keepOwners = found !== undefined && chown === undefined;
    const more = { archives, repositories, chown, chmod, keepOwners };
    return { keyword, destination, isFolder, items: rest, isOneFile, ...more };
  };
  // Of a stage or an image everything is known by its key: a hit reads none of its files.
  const plan = found ? undefined : await settle();
  const all = plan && [...plan.items, ...plan.archives, ...plan.repositories.flat()];
  const content = all ? await digestItems(run.core.ports.codec, all) : found?.key;
  const { link, parents, exclude, unpack } = instruction;
  const flags = [chown, chmod, link, parents, exclude.map((word) => expand(word)), unpack];
  return yield* makeStep(run, state, {
    next: {},
    inputs: [keyword, sources, destination, isFolder, content, flags],
    createdBy: `/bin/sh -c #(nop) ${text}`,
    work: async function* (commit) {
      return yield* workOnFiles(run, state, plan ?? await settle(), commit);
    },
  });
}

/** Makes a folder of the stage where it has none. */
// deno-lint-ignore require-yield -- it tells nothing, and is used where others do
export async function* makeFolder(
  run: BuildRun,
  state: StageState,
  path: string,
  commit: CommitStep,
): BuildSteps<ImageRecord> {
  await using container = await run.steps.create(filesRequest(state));
  if (!await writeFolder(run, container.id, path)) return await commit();
  return await commit(await stepLayer(run, container));
}

/** Writes a folder into a container; tells whether it had none there. */
async function writeFolder(run: BuildRun, id: string, path: string): Promise<boolean> {
  await using _tree = await run.containers.files.hold(id);
  if ((await statPath(run, id, path))?.isFolder) return false;
  await writeItems(run, id, path, { items: [] });
  return true;
}

// deno-lint-ignore require-yield -- it tells nothing, and is used where others do
async function* workOnFiles(
  run: BuildRun,
  state: StageState,
  plan: CopyPlan,
  commit: CommitStep,
): BuildSteps<ImageRecord> {
  await using container = await run.steps.create(filesRequest(state, plan.chown));
  await writePlan(run, container.id, plan);
  return await commit(await stepLayer(run, container));
}

async function writePlan(run: BuildRun, id: string, plan: CopyPlan): Promise<void> {
  const { destination, items, archives, repositories, chown } = plan;
  // One mount for all of it.
  await using _tree = await run.containers.files.hold(id);
  const isFolder = plan.isFolder || archives.length + repositories.length > 0 ||
    (await statPath(run, id, destination))?.isFolder === true;
  if (plan.isOneFile && !isFolder && items.length === 1) {
    const [item] = items;
    const cut = destination.lastIndexOf("/");
    const renamed = [{ ...item, path: destination.slice(cut + 1) }];
    await writeItems(run, id, destination.slice(0, cut) || "/", { ...plan, items: renamed });
  } else if (items.length > 0 || archives.length + repositories.length === 0) {
    await writeItems(run, id, destination, plan);
  }
  for (const items of repositories) await writeItems(run, id, destination, { ...plan, items });
  for (const archive of archives) {
    const stream = await openItem(run, archive);
    await run.containers.files.write(id, destination, stream, { chown: chown !== undefined, signal: run.signal });
  }
}

/** Writes files of a tree into a container that does not run. */
export async function writeItems(
  run: BuildRun,
  id: string,
  path: string,
  { items, chown, chmod, keepOwners }: Pick<CopyPlan, "items"> & Partial<CopyPlan>,
): Promise<void> {
  const { blobs } = run.core.ports;
  const { files } = run.containers;
  const ordered = inArchiveOrder(items);
  const options = { chown: chown !== undefined, signal: run.signal };
  // No bytes pass through this process where a helper can read them itself.
  const stored = await copyEntries(blobs, ordered, { chmod, keepOwners });
  if (stored) await files.copy(id, path, stored, options);
  else await files.write(id, path, copyArchive(blobs, ordered, { chmod, keepOwners }), options);
}

/** Fetches a Git repository for `ADD`; `--checksum` is its commit. */
async function fetchRepository(
  run: BuildRun,
  place: GitPlace,
  { checksum, keepsHistory }: Pick<CopyInstruction, "checksum" | "keepsHistory">,
): Promise<CopyItem[]> {
  const { tree, commit } = await fetchGit(run, place, keepsHistory);
  if (checksum !== undefined && (checksum.length < 7 || !commit.startsWith(checksum))) {
    throw new EngineError("invalid", `ADD failed: ${place.url} has the commit ${commit}, expected ${checksum}`);
  }
  return [...walkFolder(tree.root, "")].map(([path, node]) => ({ path, node }));
}

/** A container that is never started; without an image its tree is empty. */
export function filesRequest({ image }: Pick<StageState, "image">, user = "0"): ContainerRequest {
  return {
    ...image ? { image: image.id } : { image: "", infra: true },
    entrypoint: [""],
    command: ["true"],
    user,
    imageVolumes: "ignore",
    namespaces: { network: { mode: "none" } },
    logDriver: "none",
    health: { check: { test: ["NONE"] } },
    volatile: true,
  };
}

async function statPath(run: BuildRun, id: string, path: string) {
  try {
    return await run.containers.files.stat(id, path, run.signal);
  } catch (error) {
    if (error instanceof EngineError && error.code === "no_such_file") return undefined;
    throw error;
  }
}

function textItem(path: string, content: string): CopyItem {
  const bytes = new TextEncoder().encode(content);
  const node = { ...NO_CONTENT, kind: "file", mode: 0o644, uid: 0, gid: 0, mtime: 0, size: bytes.length } as const;
  return { path, bytes, node };
}

/** Whether a file is a tar archive, plain or compressed with what archives are unpacked from. */
async function isArchive(run: BuildRun, item: CopyItem): Promise<boolean> {
  if (item.node.kind !== "file" || item.node.size < 20) return false;
  const head = await new Response(await openItem(run, item, ARCHIVE_HEAD)).arrayBuffer();
  return isArchiveHead(new Uint8Array(head));
}

async function openItem(run: BuildRun, { node, bytes }: CopyItem, most = Infinity) {
  const size = Math.min(node.size, most);
  if (bytes !== undefined) return new Blob([bytes.slice(0, size)]).stream();
  const stream = await run.core.ports.blobs.open(node.archive, { start: node.offset, end: node.offset + size });
  if (stream) return stream;
  throw new EngineError("internal", "Copy: the build's context is gone");
}

function parseMode(text: string): number {
  if (/^[0-7]{1,5}$/.test(text)) return parseInt(text, 8);
  throw new EngineError(
    "invalid",
    `invalid chmod parameter: '${text}'. it should be octal string and between 0 and 07777`,
  );
}
