import { type Core, requireHost } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { Claim } from "../../images/store/content.ts";
import { spoolTree } from "./build_context.ts";
import type { FileTree } from "../context/file_tree.ts";

/** A place in a Git repository: `https://host/path.git#ref:folder`. */
export interface GitPlace {
  url: string;
  /** A branch, a tag or a commit. */
  ref?: string;
  folder?: string;
}

/** Reads a URL of a Git repository as Docker does; `undefined` for any other. */
export function parseGitURL(text: string): GitPlace | undefined {
  const [whole, fragment = ""] = text.split(/#(.*)/s);
  const isGit = /^(?:git|ssh):\/\//i.test(whole) || /^git@/.test(whole) || /^https?:\/\/.*\.git\/?$/is.test(whole);
  const isShort = /^github\.com\//.test(whole);
  if (!isGit && !isShort) return undefined;
  const [ref, folder] = fragment.split(/:(.*)/s);
  return { url: isShort ? `https://${whole}` : whole, ...ref && { ref }, ...folder && { folder } };
}

/** Fetches a Git repository's files into the store. Throws `EngineError`: `invalid`, `unsupported`. */
export async function fetchGit(
  { core, claim, signal }: { core: Core; claim: Claim; signal: AbortSignal },
  { url, ref, folder }: GitPlace,
  keepsHistory = false,
): Promise<{ tree: FileTree; commit: string }> {
  const limit = core.options.limits.layerBytes;
  const { archive, commit } = await requireHost(core).git.fetch({ url, ref, keepsHistory, limit, signal });
  const tree = await spoolTree(core, claim, archive, signal);
  if (folder === undefined) return { tree, commit };
  const below = tree.below(folder);
  if (below === undefined) throw new EngineError("invalid", `${url} has no folder "${folder}"`);
  return { tree: below, commit };
}
