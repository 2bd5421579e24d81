/**
 * Contexts besides the main one.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import { applyIgnoreFile, spoolTree } from "./build_context.ts";
import { readRemote, spoolFolder } from "./build_inputs.ts";
import type { NamedContext } from "../build_options.ts";
import type { BuildRun } from "../build_run.ts";
import type { FileTree } from "../context/file_tree.ts";
import { readRemoteFolder } from "../folders/read_folder.ts";
import { fetchGit, type GitPlace, parseGitURL } from "./git_source.ts";

/** The caller's context of that name. */
export function contextNamed({ options: { contexts = {} } }: BuildRun, name: string): NamedContext {
  if (Object.hasOwn(contexts, name)) return contexts[name];
  throw new EngineError("internal", `Build: there is no context "${name}"`);
}

/** Reads a context's files, those that its ignore file leaves; once for each build. */
export function readContext(
  run: BuildRun,
  name: string,
  context: Exclude<NamedContext, { kind: "image" }>,
): Promise<FileTree> {
  const known = run.contextTrees.get(name);
  if (known) return known;
  const reading = readFiles(run, context);
  // Another stage may wait for it; whoever asks sees the failure.
  reading.catch(() => {});
  run.contextTrees.set(name, reading);
  return reading;
}

async function readFiles(run: BuildRun, context: Exclude<NamedContext, { kind: "image" }>): Promise<FileTree> {
  return await applyIgnoreFile(run.core, await readTree(run, context), undefined);
}

async function readTree(run: BuildRun, context: Exclude<NamedContext, { kind: "image" }>): Promise<FileTree> {
  switch (context.kind) {
    case "git":
      return (await fetchGit(run, requireGitURL(context.url))).tree;
    case "folder":
      return await spoolFolder(run, context.path);
    case "archive":
      return await spoolTree(run.core, run.claim, context.open(), run.signal);
    case "files":
      return await readRemoteFolder(run, context.folder);
    case "url": {
      const found = await readRemote(run, context.url);
      if ("tree" in found) return found.tree;
      throw new EngineError("invalid", `${context.url} gives no archive: a context is one, or a Git repository`);
    }
  }
}

function requireGitURL(url: string): GitPlace {
  const place = parseGitURL(url);
  if (place) return place;
  throw new EngineError("invalid", `"${url}" is no URL of a Git repository: it ends with .git, or begins with git://`);
}
