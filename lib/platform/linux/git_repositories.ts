import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { EngineError } from "../../engine/errors.ts";
import type { GitFiles, GitRepositories, GitRequest } from "../../engine/ports/build_port.ts";
import { streamThen } from "../../oci/bytes/byte_stream.ts";
import { messageOf } from "../../oci/message_of.ts";
import { CommandError, runCommand } from "./helpers/command.ts";
import type { HostPaths } from "./helpers/paths.ts";
import { withRoom } from "../storage/disk_room.ts";
import { folderArchive } from "./trees/folder_archive.ts";

/** The longest that one command of Git may take, in milliseconds. */
const TIME_LIMIT = 10 * 60_000;

/**
 * Nothing of the repository, the user or the system steers Git: no hooks, no templates, no configuration, no helper that is
 * asked for a password, and no protocol that reads this machine's files or runs a program.
 */
const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ALLOW_PROTOCOL: "http:https:git",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  GIT_ATTR_NOSYSTEM: "1",
};
const SETTINGS = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"];
const PROXY = /^(?:https?|no|all)_proxy$/i;

/** {@linkcode GitRepositories} by this machine's `git`. The rest of an earlier process is deleted. */
export async function openGit({ root }: Pick<HostPaths, "root">): Promise<GitRepositories> {
  const folder = join(root, "sources");
  await rm(folder, { recursive: true, force: true });
  return { fetch: (request) => fetchCommit(join(folder, randomUUID()), request) };
}

async function fetchCommit(folder: string, request: GitRequest): Promise<GitFiles> {
  checkRequest(request);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const git = gitIn(folder, request);
    await git(["init", "--quiet", "--template="]);
    await fetchRef(git, request);
    await git(["checkout", "--quiet", "--detach", "FETCH_HEAD", "--"]);
    const [commit, seconds] = (await git(["log", "-1", "--format=%H %ct"])).trim().split(" ");
    if (!request.keepsHistory) await rm(join(folder, ".git"), { recursive: true });
    // Git writes files with the time it is now: the same commit would be another layer each time.
    const touch = ["-exec", "touch", "--no-dereference", `--date=@${Number(seconds)}`, "{}", "+"];
    await runCommand("find", [".", ...touch], { cwd: folder, timeout: TIME_LIMIT });
    return { commit, archive: streamThen(folderArchive(folder), remove) };
  } catch (error) {
    await remove();
    request.signal.throwIfAborted();
    if (error instanceof EngineError) throw error;
    const isMissing = error instanceof CommandError && error.code === -1 && /ENOENT|not found/.test(error.message);
    const why = error instanceof CommandError ? error.stderr.trim() || error.message : messageOf(error);
    if (isMissing) throw new EngineError("unsupported", "Fetch Git repository: this machine has no git");
    throw new EngineError("invalid", `failed to fetch ${request.url}: ${why}`, { cause: error });
  }
}

type RunGit = (args: readonly string[]) => Promise<string>;

function gitIn(folder: string, { limit, signal }: GitRequest): RunGit {
  const proxies = Object.fromEntries(Object.entries(process.env).filter(([name]) => PROXY.test(name)));
  const env = { ...ENVIRONMENT, ...proxies, HOME: folder };
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  return async (args) => {
    const run = (signal: AbortSignal) =>
      // The kernel ends a program whose file becomes too large: a repository does not tell its size before.
      runCommand("prlimit", [`--fsize=${limit}`, "--", "git", ...settings, ...args], {
        cwd: folder,
        env,
        timeout: TIME_LIMIT,
        signal,
      });
    return (await withRoom(folder, "Fetch Git repository", run, signal)).stdout;
  };
}

async function fetchRef(git: RunGit, { url, ref = "HEAD" }: GitRequest): Promise<void> {
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"];
  try {
    await git([...fetch, "--depth=1", "--", url, ref]);
  } catch (error) {
    // A server need not give a commit that no branch names: it is among all of them, then.
    if (!/^[0-9a-f]{7,64}$/.test(ref)) throw error;
    await git([...fetch, "--", url, "+refs/heads/*:refs/remotes/all/*", "+refs/tags/*:refs/tags/*"]);
    await git([
      "update-ref",
      "FETCH_HEAD",
      (await git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])).trim(),
    ]);
  }
}

function checkRequest({ url, ref }: GitRequest): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== "http" && scheme !== "https" && scheme !== "git") {
    throw new EngineError("unsupported", `"${url}": Git repositories are fetched by https, http and git only`);
  }
  if (/[\0-\x20\x7f]/.test(url)) throw new EngineError("invalid", "the URL of a Git repository has blanks in it");
  if (ref !== undefined && (!/^[\w./+@-]{1,250}$/.test(ref) || ref.startsWith("-") || ref.includes(".."))) {
    throw new EngineError("invalid", `"${ref}" is no branch, tag or commit`);
  }
}
