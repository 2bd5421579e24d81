/**
 * The mounts of one `RUN`: which they are is settled before its key is known, and they are made when it runs.
 *
 * @module
 */
import { requireHost } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { ContainerSecrets, SecretFile } from "../ports/host_port.ts";
import type { MountRequest } from "../records/mount_spec.ts";
import type { FolderRights } from "../records/volume_record.ts";
import type { BuildRun, BuildSteps } from "./build_run.ts";
import { digestItems } from "./context/copy_archive.ts";
import { type CopyItem, walkFolder } from "./context/select_files.ts";
import { filesRequest, writeItems } from "./copy_step.ts";
import type { RunInstruction, RunMount } from "./dockerfile/instructions.ts";
import { findSource, sourceNamed } from "./sources/source_image.ts";
import { type Expand, joinWorkdir } from "./stage_config.ts";
import type { StageState } from "./stage_state.ts";

/** The socket of an SSH agent that names no other place, with its number behind it. */
const AGENT_SOCKET = "/run/buildkit/ssh_agent.";
const SECRET_FOLDER = "/run/secrets";
/** Characters of a command that tell which cache is which. */
const LONGEST_TEXT = 200;

/** Files of the context that a command sees. */
interface TreeMount {
  items: CopyItem[];
  isFile: boolean;
  destination: string;
  /** Changes are thrown away. */
  isWritable: boolean;
}

/** A secret, or an SSH agent, that a command asks for. */
interface PrivateMount extends Pick<RunMount, "required" | "mode" | "uid" | "gid" | "env"> {
  id: string;
  /** Absent for a secret that is a variable only. */
  path?: string;
}

/** A folder that commands keep, by its volume, and the owner that it has when it is made. */
interface CachePlan {
  name: string;
  text: string;
  owner: FolderRights;
}

/** Everything about a command's mounts that is settled before it runs. */
export interface CommandMounts {
  mounts: MountRequest[];
  trees: TreeMount[];
  secrets: PrivateMount[];
  agents: PrivateMount[];
  /** Folders that commands keep. */
  caches: CachePlan[];
  /** Caches that one build at a time may use. */
  locks: string[];
  /** The part of the command's key. */
  inputs: unknown[];
}

/** The mounts of a command that is about to run. */
export interface OpenMounts {
  mounts: MountRequest[];
  lent: ContainerSecrets;
  /** Every path where something is mounted. */
  places: string[];
}

/** Settles what the mounts of a command are. */
export async function* planMounts(
  run: BuildRun,
  state: StageState,
  { mounts, text }: Pick<RunInstruction, "mounts"> & { text: string },
  place: { stage: number; expand: Expand },
): BuildSteps<CommandMounts> {
  const plan: CommandMounts = { mounts: [], trees: [], secrets: [], agents: [], caches: [], locks: [], inputs: [] };
  for (const mount of mounts) {
    const target = place.expand(mount.target);
    const destination = joinWorkdir(state.config, target);
    plan.inputs.push([mount.type, destination, mount.readOnly]);
    if (mount.type === "bind") yield* planBind(run, plan, mount, { ...place, destination });
    else if (mount.type === "cache") await planCache(run, plan, mount, { ...place, destination, text });
    else if (mount.type === "tmpfs") {
      const options = mount.size === undefined ? [] : [`size=${mount.size}`];
      plan.mounts.push({ type: "tmpfs", source: "tmpfs", destination, options });
    } else planPrivate(plan, mount, { ...place, path: target === "" ? undefined : destination });
  }
  return plan;
}

/** Makes the mounts of a command that runs; the stack takes them back. */
export async function openMounts(run: BuildRun, plan: CommandMounts, stack: AsyncDisposableStack): Promise<OpenMounts> {
  const mounts = [...plan.mounts];
  for (const { name, text, owner } of plan.caches) stack.use(await run.volumes.useCache(name, text, owner));
  for (const tree of plan.trees) mounts.push(await openTree(run, tree, stack));
  const env: Record<string, string> = {};
  const files: SecretFile[] = [];
  for (const secret of plan.secrets) {
    const data = await run.options.readSecret?.(secret.id, run.signal);
    if (data === undefined) {
      if (!secret.required) continue;
      throw new EngineError("invalid", `secret required but no secret with id "${secret.id}" found`);
    }
    const { path, uid = 0, gid = 0, mode = 0o400 } = secret;
    if (path !== undefined) files.push({ path, uid, gid, mode, data });
    if (secret.env !== undefined) env[secret.env] = new TextDecoder().decode(data);
  }
  for (const agent of plan.agents) {
    const bind = await openAgent(run, agent, stack);
    if (bind === undefined) continue;
    mounts.push(bind);
    env.SSH_AUTH_SOCK ??= bind.destination;
  }
  const places = [...mounts.map(({ destination }) => destination), ...files.map(({ path }) => path)];
  return { mounts, lent: { files, env }, places };
}

async function* planBind(
  run: BuildRun,
  plan: CommandMounts,
  { from, source = "", readOnly }: RunMount,
  { stage, expand, destination }: { stage: number; expand: Expand; destination: string },
): BuildSteps<void> {
  const subPath = expand(source).replace(/^\/+|\/+$/g, "");
  if (subPath.split("/").includes("..")) {
    throw new EngineError("invalid", `the source "${source}" of a mount leads out`);
  }
  const found = from === undefined
    ? { tree: run.context }
    : yield* findSource(run, sourceNamed(run, expand(from), stage));
  if ("image" in found) {
    plan.inputs.push([found.key, subPath]);
    // Writes are thrown away: an image's files are mounted for this container alone.
    const options = readOnly ? ["ro"] : ["rw"];
    plan.mounts.push({ type: "image", source: found.image.id, destination, options, ...subPath && { subPath } });
    return;
  }
  const { tree } = found;
  const node = tree.find(subPath);
  if (node === undefined) {
    throw new EngineError(
      "invalid",
      `mount failed: "${source}" is not in the build context, or its ignore file leaves it out`,
    );
  }
  const isFile = node.kind !== "folder";
  const items = isFile ? [{ path: "file", node }] : [...walkFolder(node, "")].map(([path, node]) => ({ path, node }));
  plan.inputs.push(await digestItems(run.core.ports.codec, items));
  plan.trees.push({ items, isFile, destination, isWritable: !readOnly });
}

async function planCache(
  run: BuildRun,
  plan: CommandMounts,
  { from, id, sharing, readOnly, uid = 0, gid = 0, mode }: RunMount,
  { expand, destination, text }: { expand: Expand; destination: string; text: string },
): Promise<void> {
  if (from !== undefined) throw new EngineError("unsupported", "RUN --mount=type=cache,from= is not supported");
  const key = await run.cache.keyOf("cache", expand(id ?? destination));
  const source = `build-cache-${key.slice("sha256:".length, "sha256:".length + 16)}`;
  plan.inputs.push(source);
  const command = text.slice(0, LONGEST_TEXT);
  plan.caches.push({ name: source, text: `cached mount ${destination} from ${command}`, owner: { uid, gid, mode } });
  if (sharing !== undefined && sharing !== "shared") plan.locks.push(source);
  plan.mounts.push({ type: "volume", source, destination, options: readOnly ? ["ro"] : [] });
}

/** A secret's value is no part of the key: a command whose secret changed is not run again for that. */
function planPrivate(
  plan: CommandMounts,
  { type, id, env, required, mode, uid, gid }: RunMount,
  { path, expand }: { path?: string; expand: Expand },
): void {
  const rights = { required, mode, uid, gid };
  plan.inputs.push([id, env, rights]);
  if (type === "ssh") {
    const place = path ?? `${AGENT_SOCKET}${plan.agents.length}`;
    plan.agents.push({ id: id === undefined ? "default" : expand(id), path: place, ...rights });
    return;
  }
  const name = id === undefined ? path?.split("/").at(-1) ?? env : expand(id);
  if (!name) throw new EngineError("invalid", "invalid mount: type secret requires an id, a target or an env");
  const place = path ?? (env === undefined ? `${SECRET_FOLDER}/${name.split("/").at(-1)}` : undefined);
  plan.secrets.push({ id: name, path: place, env, ...rights });
}

/** Writes files of the context into a container that is never started, and shows its folder. */
async function openTree(run: BuildRun, mount: TreeMount, stack: AsyncDisposableStack): Promise<MountRequest> {
  const { items, isFile, destination, isWritable } = mount;
  const { files } = run.containers;
  const container = stack.use(await run.steps.create(filesRequest({})));
  await writeItems(run, container.id, "/", { items });
  const root = await files.mount(container.id);
  stack.defer(() => files.unmount(container.id, { force: true }));
  return {
    type: "bind",
    source: isFile ? `${root}/file` : root,
    destination,
    options: [isWritable ? "rw" : "ro"],
  };
}

async function openAgent(
  { core, options }: BuildRun,
  { id, path, required, mode = 0o600, uid = 0, gid = 0 }: PrivateMount,
  stack: AsyncDisposableStack,
): Promise<MountRequest | undefined> {
  const { openAgent: connect } = options;
  const first = await connect?.(id);
  if (connect === undefined || first === undefined || path === undefined) {
    if (!required) return undefined;
    throw new EngineError("invalid", `ssh agent required but no agent with id "${id}" was forwarded`);
  }
  let ready: typeof first | undefined = first;
  const next = () => {
    const connection = ready;
    ready = undefined;
    return connection === undefined ? connect(id) : Promise.resolve(connection);
  };
  stack.defer(async () => {
    // The connection that told that there is an agent may have no client yet.
    if (ready !== undefined) await Promise.allSettled([ready.readable.cancel(), ready.writable.abort()]);
  });
  const socket = stack.use(await requireHost(core).sockets.listen({ mode, uid, gid, connect: next }));
  return { type: "bind", source: socket.path, destination: path, options: [] };
}
