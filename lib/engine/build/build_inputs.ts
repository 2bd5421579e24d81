/**
 * The inputs of a build as it reads them: its context, from the client or from elsewhere, and its Dockerfile.
 *
 * @module
 */
import { pieceStream } from "../../oci/bytes/byte_stream.ts";
import { concatBytes } from "../../oci/bytes/bytes.ts";
import type { Core } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { Claim } from "../images/store/content.ts";
import { applyIgnoreFile, readBytes, readText, spoolTree } from "./build_context.ts";
import type { BuildOptions } from "./build_options.ts";
import { ARCHIVE_HEAD, isArchiveHead } from "./context/archive_head.ts";
import { FileTree } from "./context/file_tree.ts";
import { DOCKERFILE_LIMIT } from "./dockerfile/read_instructions.ts";
import { fetchGit, parseGitURL } from "./git_source.ts";

/** Where inputs are spooled, and until when. */
interface Place {
  core: Core;
  claim: Claim;
  signal: AbortSignal;
}

/** A build's context and Dockerfile. */
export interface BuildInputs {
  context: FileTree;
  texts: { name: string; text: string }[];
  /** The secrets of the caller, those among the context's files too. */
  readSecret: NonNullable<BuildOptions["readSecret"]>;
}

/** Reads a build's inputs. Throws `EngineError`: `invalid` for what is missing or no archive, `limit`. */
export async function readInputs(place: Place, options: BuildOptions): Promise<BuildInputs> {
  const { core } = place;
  const { whole, text } = await readContext(place, options);
  const texts = [...options.dockerfileTexts ?? []];
  if (texts.length === 0 && text !== undefined) texts.push({ name: "Dockerfile", text });
  if (texts.length === 0) {
    for (const name of options.dockerfiles) texts.push({ name, text: await readDockerfile(place, whole, name) });
  }
  const { secretFiles = {} } = options;
  const secrets = new Map<string, Uint8Array>();
  for (const [id, path] of Object.entries(secretFiles)) secrets.set(id, await readBytes(core, whole, path));
  // No instruction may copy them.
  const hidden = new Set(Object.values(secretFiles).map((path) => whole.realPath(path)));
  const open = hidden.size === 0 ? whole : whole.without((path) => hidden.has(path));
  return {
    context: await applyIgnoreFile(core, open, options.exclude, texts[0]?.name),
    texts,
    readSecret: (id, signal) => {
      const own = secrets.get(id);
      return own === undefined ? options.readSecret?.(id, signal) ?? Promise.resolve(undefined) : Promise.resolve(own);
    },
  };
}

async function readContext(
  place: Place,
  { context, remote }: BuildOptions,
): Promise<{ whole: FileTree; text?: string }> {
  const { core, claim, signal } = place;
  if (remote === undefined) {
    return { whole: context ? await spoolTree(core, claim, context, signal) : FileTree.empty() };
  }
  await context?.cancel();
  const git = parseGitURL(remote);
  if (git) return { whole: (await fetchGit(place, git)).tree };
  const body = await fetchBody(place, remote);
  const reader = body.getReader();
  let head = new Uint8Array(0);
  let isWhole = false;
  while (!isWhole && head.length < ARCHIVE_HEAD) {
    const { done, value } = await reader.read();
    isWhole = done;
    if (value) head = concatBytes([head, value]) as Uint8Array<ArrayBuffer>;
  }
  let first: Uint8Array | undefined = head;
  const stream = pieceStream({
    async next() {
      const value = first ?? (await reader.read()).value;
      first = undefined;
      return value;
    },
    cancel: () => reader.cancel(),
  });
  if (isArchiveHead(head)) return { whole: await spoolTree(core, claim, stream, signal) };
  return { whole: FileTree.empty(), text: await boundedText(stream, remote) };
}

/** Dockerfiles may be elsewhere, too. */
async function readDockerfile(place: Place, whole: FileTree, name: string): Promise<string> {
  if (!/^https?:\/\//i.test(name)) return await readText(place.core, whole, name);
  return await boundedText(await fetchBody(place, name), name);
}

async function fetchBody({ core, signal }: Place, url: string): Promise<ReadableStream<Uint8Array>> {
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
