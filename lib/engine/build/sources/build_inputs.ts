/**
 * The inputs of a build as it reads them: its context, from the client or from elsewhere, and its Dockerfile.
 *
 * @module
 */
import { pieceStream } from "../../../oci/bytes/byte_stream.ts";
import { concatBytes } from "../../../oci/bytes/bytes.ts";
import { type Core, requireHost } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import { applyIgnoreFile, readBytes, readText, spoolTree } from "./build_context.ts";
import type { BuildOptions } from "../build_options.ts";
import { ARCHIVE_HEAD, isArchiveHead } from "../context/archive_head.ts";
import { FileTree } from "../context/file_tree.ts";
import { type FolderPlace, readRemoteFolder } from "../folders/read_folder.ts";
import { DOCKERFILE_LIMIT } from "../dockerfile/read_instructions.ts";
import type { LocalFolder } from "../../ports/local_files_port.ts";
import { fetchGit, parseGitURL } from "./git_source.ts";

/** The store that inputs are written into, and what holds them there. */
type Place = FolderPlace;
type SpoolPlace = Pick<Place, "core" | "claim" | "signal">;

/** A build's context and Dockerfile. */
export interface BuildInputs {
  context: FileTree;
  /** Contexts that came with it. */
  named: Map<string, FileTree>;
  texts: { name: string; text: string }[];
  /** The secrets of the caller, those among the context's files too. */
  readSecret: NonNullable<BuildOptions["readSecret"]>;
}

/** The Dockerfiles that are looked for where none is named, in this order. */
const USUAL_FILES = ["Containerfile", "Dockerfile"];

/** Reads a build's inputs. Throws `EngineError`: `invalid` for what is missing or no archive, `limit`. */
export async function readInputs(place: Place, options: BuildOptions): Promise<BuildInputs> {
  const { core } = place;
  // Also those that no instruction takes from: a name that is wrong is told of.
  for (const context of Object.values(options.contexts ?? {})) {
    if (context.kind === "folder") await findFolder(core, context.path);
  }
  const { whole, text, named = new Map() } = await readContext(place, options);
  const texts = [...options.dockerfileTexts ?? []];
  if (texts.length === 0 && text !== undefined) texts.push({ name: "Dockerfile", text });
  if (texts.length === 0) {
    const usual = USUAL_FILES.find((name) => whole.find(name)?.kind === "file") ?? "Dockerfile";
    const code = options.contextFolder === undefined ? "invalid" : "no_such_file";
    for (const name of options.dockerfiles.length > 0 ? options.dockerfiles : [usual]) {
      texts.push({ name, text: await readDockerfile(place, whole, { name, code }) });
    }
  }
  const { secretFiles = {} } = options;
  const secrets = new Map<string, Uint8Array>();
  for (const [id, path] of Object.entries(secretFiles)) secrets.set(id, await readBytes(core, whole, path));
  // No instruction may copy them.
  const hidden = new Set(Object.values(secretFiles).map((path) => whole.realPath(path)));
  const open = hidden.size === 0 ? whole : whole.without((path) => hidden.has(path));
  return {
    context: await applyIgnoreFile(core, open, options.exclude, texts[0]?.name),
    named,
    texts,
    readSecret: (id, signal) => {
      const own = secrets.get(id);
      return own === undefined ? options.readSecret?.(id, signal) ?? Promise.resolve(undefined) : Promise.resolve(own);
    },
  };
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A context, or the text of a Dockerfile alone. */
interface ReadContext {
  whole: FileTree;
  text?: string;
  named?: Map<string, FileTree>;
}

async function readContext(place: Place, options: BuildOptions): Promise<ReadContext> {
  const { core, claim, signal } = place;
  const { context, contextParts, contextFiles, contextFolder, remote } = options;
  if (remote !== undefined) {
    await context?.cancel();
    const found = await readRemote(place, remote);
    return "text" in found ? { whole: FileTree.empty(), text: found.text } : { whole: found.tree };
  }
  if (contextFiles !== undefined) return { whole: await readRemoteFolder(place, contextFiles) };
  if (contextFolder !== undefined) return { whole: await spoolFolder(place, contextFolder) };
  if (context !== undefined) {
    // Podman 4's client sends a secret once more, by the absolute path that it has there.
    const secrets = new Set(Object.values(options.secretFiles ?? {}).map(lastName));
    const passesOver = (name: string) => name.startsWith("/") && secrets.has(lastName(name));
    return { whole: await spoolTree(core, claim, context, signal, { passesOver, mayEndShort: true }) };
  }
  const named = new Map<string, FileTree>();
  for await (const { name, archive } of contextParts ?? []) {
    named.set(name, await spoolTree(core, claim, archive, signal));
  }
  const whole = named.get("") ?? FileTree.empty();
  named.delete("");
  return { whole, named };
}

/** Reads a folder of the host. Throws `EngineError`: `no_such_file`, `forbidden`, `invalid`. */
export async function spoolFolder({ core, claim, signal }: SpoolPlace, path: string): Promise<FileTree> {
  const found = await findFolder(core, path);
  return await spoolTree(core, claim, found.archive(), signal);
}

async function findFolder(core: Core, path: string): Promise<LocalFolder> {
  const found = await requireHost(core).localFiles.find(path);
  if (found.kind === "folder") return found;
  throw new EngineError("invalid", `"${path}" is no folder`);
}

/** Reads what a URL gives: the files of an archive or of a Git repository, or a text. */
export async function readRemote(place: SpoolPlace, url: string): Promise<{ tree: FileTree } | { text: string }> {
  const git = parseGitURL(url);
  if (git) return { tree: (await fetchGit(place, git)).tree };
  const { head, stream } = await peekStream(await fetchBody(place, url));
  if (!isArchiveHead(head)) return { text: await boundedText(stream, url) };
  return { tree: await spoolTree(place.core, place.claim, stream, place.signal) };
}

/** The first bytes of a stream, and all of it. */
async function peekStream(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  let head: Uint8Array = new Uint8Array(0);
  for (let isWhole = false; !isWhole && head.length < ARCHIVE_HEAD;) {
    const { done, value } = await reader.read();
    isWhole = done;
    if (value) head = concatBytes([head, value]);
  }
  let first: Uint8Array | undefined = head.slice();
  const stream = pieceStream({
    async next() {
      const value = first ?? (await reader.read()).value;
      first = undefined;
      return value;
    },
    cancel: () => reader.cancel(),
  });
  return { head, stream };
}

/** Dockerfiles may be elsewhere, too. */
async function readDockerfile(
  place: Place,
  whole: FileTree,
  { name, code }: { name: string; code: "invalid" | "no_such_file" },
): Promise<string> {
  if (!/^https?:\/\//i.test(name)) return await readText(place.core, whole, name, code);
  return await boundedText(await fetchBody(place, name), name);
}

async function fetchBody({ core, signal }: SpoolPlace, url: string): Promise<ReadableStream<Uint8Array>> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new EngineError("invalid", `"${url}" is no URL of a context: it begins with http://, https:// or git://`);
  }
  const response = await core.ports.net.fetch(new Request(url, { signal }));
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  throw new EngineError("invalid", `failed to fetch ${url}: it answers with status ${response.status}`);
}

async function boundedText(stream: ReadableStream<Uint8Array>, name: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of stream) {
    size += bytes.length;
    if (size > DOCKERFILE_LIMIT) {
      throw new EngineError(
        "invalid",
        `${name} is no archive, and more than the ${DOCKERFILE_LIMIT} bytes of a Dockerfile`,
      );
    }
    parts.push(bytes.slice());
  }
  return new TextDecoder().decode(concatBytes(parts));
}
