/**
 * The files of containers, by way of the tree agent.
 *
 * @module
 */
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { IDMaps } from "../../../engine/records/id_maps.ts";
import type {
  ChangesetOptions,
  ExportOptions,
  FileFacts,
  FileTimes,
  FinalChangeset,
  FinalChangesetOptions,
  TreeChange,
  TreeName,
  TreePath,
  TreeReadOptions,
  Trees,
  TreeWriteOptions,
} from "../../../engine/ports/tree_port.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import type { HostLayers } from "../storage/layers.ts";
import { isMountPoint } from "../mounts/overlay.ts";
import { withRoom } from "../../storage/disk_room.ts";
import { containerPaths, type HostPaths } from "../helpers/paths.ts";
import { SharedFolders } from "../bundle/mounts/shared_folders.ts";
import { resolveUser } from "../bundle/user_lookup.ts";
import { type Agent, forkAgent, lateOutput, lookUp } from "./agent.ts";
import { mountPlaces } from "./mount_places.ts";
import type { Carriers } from "../processes/nursery/nursery_sockets.ts";
import { layerHex } from "../storage/layer_name.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The exit codes of `final`: the folder is what its archive says, or has something else as well. */
const [EXACT, DIFFERENT] = [0, 3];
const KINDS: Record<string, TreeChange["kind"]> = { "0": "modified", "1": "added", "2": "deleted" };

/** The files of a host's containers. */
export function openTrees(paths: HostPaths, layers: Pick<HostLayers, "lower">, carriers: Carriers): Trees {
  return new AgentTrees(paths, layers, carriers);
}

/** The path that the agent looks up, and the tree it does so in. */
interface Place {
  root: string;
  pid: string;
  path: string;
  /** The client's name for the path, where the host has another one. */
  name: string;
  /** Whether the root is the container's own. */
  isWhole: boolean;
}

class AgentTrees implements Trees {
  readonly #paths: HostPaths;
  readonly #layers: Pick<HostLayers, "lower">;
  readonly #carriers: Carriers;
  readonly #shared: SharedFolders;

  constructor(paths: HostPaths, layers: Pick<HostLayers, "lower">, carriers: Carriers) {
    this.#paths = paths;
    this.#shared = new SharedFolders([paths.volumes, paths.containers]);
    this.#layers = layers;
    this.#carriers = carriers;
  }

  async stat(path: TreePath, signal?: AbortSignal): Promise<FileFacts> {
    const place = await this.#place(path);
    return factsOf(path, await lookUp(this.#carriers, [place.root, place.pid, place.path], signal));
  }

  async read(
    path: TreePath,
    { owner, dotted, keepLink, signal }: TreeReadOptions,
  ): Promise<{ facts: FileFacts; archive: ReadableStream<Uint8Array> }> {
    const place = await this.#place(path);
    const { uid, gid } = await resolveUser(path.root, owner, []);
    const contents = endsInItself(path.path) ? dotted ? "." : "1" : "";
    const whole = place.isWhole ? "1" : "";
    const { root, pid, name } = place;
    const ids = [String(uid), String(gid)];
    const keeps = keepLink === true && name === "";
    const words = [contents, ...ids, whole, name, keeps ? "1" : ""];
    const agent = await forkAgent(this.#carriers, ["get", root, pid, place.path, ...words]);
    try {
      const facts = factsOf(path, await agent.answer(signal));
      const exists = facts.exists || keeps && facts.target !== undefined;
      return { facts: { ...facts, exists }, archive: agent.output() };
    } catch (error) {
      agent.end();
      throw error;
    }
  }

  async write(path: TreePath, entries: ReadableStream<Uint8Array>, options: TreeWriteOptions): Promise<void> {
    const place = await this.#place(path);
    const ids = options.owner === undefined ? undefined : await resolveUser(path.root, options.owner, []);
    const owner = ids === undefined ? ["", ""] : [String(ids.uid), String(ids.gid)];
    const choices = [options.keepKinds, options.mustExist].map((choice) => choice ? "1" : "");
    const { files = [] } = options;
    const words = [place.root, place.pid, place.path, ...owner, ...choices, ...mapsOf(path.idMaps), ...files];
    // A bind or a volume may lie elsewhere: it is the file system of what is written to that must have room.
    await withRoom(place.root, "Unpack archive", (signal) => this.#write(words, entries, signal), options.signal);
  }

  async #write(words: readonly string[], entries: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    using agent = await forkAgent(this.#carriers, ["put", ...words], { hasInput: true });
    const aborted = () => agent.end();
    signal.addEventListener("abort", aborted);
    if (signal.aborted) aborted();
    try {
      // The first bytes wait in the connection while the agent looks for the path.
      const ready = agent.answer();
      const fed = agent.feed(entries).then(() => undefined, async (error: unknown) => {
        await ready.catch(() => {});
        agent.end();
        return { error };
      });
      const refused = await ready.then(() => undefined, (error: unknown) => ({ error }));
      const answered = refused ?? await agent.answer().then(() => undefined, (error: unknown) => ({ error }));
      if (answered !== undefined) agent.end();
      // A failure of the source is the reason, whatever the agent says of it; but for a path that cannot be written to.
      const broken = await fed;
      const failed = refused ?? broken ?? answered;
      signal.throwIfAborted();
      if (failed !== undefined) throw failed.error;
    } finally {
      signal.removeEventListener("abort", aborted);
    }
  }

  export(root: string, { idMaps, mounted }: ExportOptions = {}): ReadableStream<Uint8Array> {
    return this.#output("export", root, "", ...mapsOf(idMaps), this.#places(mounted));
  }

  pick(root: string, paths: readonly string[]): ReadableStream<Uint8Array> {
    return this.#output("pick", root, ...paths);
  }

  changeset(containerID: string, { idMaps, mounted, times }: ChangesetOptions = {}): ReadableStream<Uint8Array> {
    const upper = this.#storage(containerID, "upper");
    const words = [...mapsOf(idMaps), this.#places(mounted), ...timesOf(times)];
    return this.#output("layer", upper, "", ...words);
  }

  finalChangeset(containerID: string, { mounted, entries }: FinalChangesetOptions): FinalChangeset {
    const upper = this.#storage(containerID, "upper");
    const words = ["final", upper, String(entries), this.#places(mounted)];
    const well = [EXACT, DIFFERENT];
    const { stream, exitCode } = lateOutput(this.#carriers, words, well);
    const carriers = this.#carriers;
    let writer: Agent | undefined;
    return {
      tar: stream,
      async *writeTo(path, signal) {
        writer = await forkAgent(carriers, [...words, path], { well });
        yield* writer.progress(signal);
      },
      isExact: async () => await (writer?.ended ?? exitCode()) === EXACT,
    };
  }

  #output(...args: string[]): ReadableStream<Uint8Array> {
    return lateOutput(this.#carriers, args).stream;
  }

  /** Places of mounts as the agent reads them. */
  #places(mounted: ExportOptions["mounted"]): string {
    if (mounted === undefined || mounted.paths.length === 0) return "";
    const layers = mounted.diffIDs.map((diffID) => join(this.#paths.layers, layerHex(diffID), "diff"));
    return mountPlaces(layers, mounted.paths);
  }

  async *changes(
    top: { containerID: string } | { diffID: string },
    diffIDs: readonly string[],
  ): AsyncGenerator<TreeChange[], void, undefined> {
    const { layers } = this.#paths;
    const upper = "diffID" in top
      ? join(layers, layerHex(top.diffID), "diff")
      : this.#storage(top.containerID, "upper");
    yield* this.#compare("changes", upper, ...await this.#layers.lower(diffIDs));
  }

  async *differences(from: TreeName, to: TreeName): AsyncGenerator<TreeChange[], void, undefined> {
    const names = async (tree: TreeName) => {
      return "diffIDs" in tree ? await this.#layers.lower(tree.diffIDs) : [tree.root];
    };
    const [older, newer] = [await names(from), await names(to)];
    yield* this.#compare("differences", String(older.length), ...older, ...newer);
  }

  async *#compare(operation: string, ...args: string[]): AsyncGenerator<TreeChange[], void, undefined> {
    const { layers } = this.#paths;
    // Layers are mounted on it, for the agent alone.
    await mkdir(join(layers, "empty"), { recursive: true, mode: 0o755 });
    using agent = await forkAgent(this.#carriers, [operation, layers, ...args]);
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of agent.output()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = lines.pop()!;
      if (lines.length > 0) yield lines.map((line) => ({ kind: KINDS[line[0]!]!, path: line.slice(1) }));
    }
  }

  isMounted(containerID: string): Promise<boolean> {
    return Promise.resolve(isMountPoint(this.#storage(containerID, "merged")));
  }

  #storage(containerID: string, folder: "merged" | "upper"): string {
    return join(containerPaths(this.#paths, containerID).storage, folder);
  }

  async #place({ root, path, pid, mount }: TreePath): Promise<Place> {
    const clean = cleanPath(path);
    if (pid !== undefined) return { root, pid: String(pid), path: clean, name: "", isWhole: true };
    if (mount === undefined) return { root, pid: "", path: clean, name: "", isWhole: true };
    const shared = mount.writtenFolders && this.#shared.above(mount.source, mount.writtenFolders);
    if (shared !== undefined) {
      // A container may put a link on the way: the lookup begins at the folder that it writes to, and stays in there.
      const inside = clean.slice(mount.destination.length);
      const name = inside === "" ? basename(mount.destination) : "";
      return { root: shared.folder, pid: "", path: cleanPath(`${shared.rest}${inside}`), name, isWhole: false };
    }
    const facts = await stat(mount.source).catch((error: NodeJS.ErrnoException) => {
      if (!hasSystemCode(error, "ENOENT", "ENOTDIR")) throw error;
      throw new EngineError("no_such_file", "no such file or directory");
    });
    const below = clean.slice(mount.destination.length);
    const rest = cleanPath(`${mount.subPath ?? ""}${below}`);
    const name = below === "" ? basename(mount.destination) : "";
    if (facts.isDirectory()) return { root: mount.source, pid: "", path: rest, name, isWhole: false };
    // A file cannot be a root; its folder can.
    const file = cleanPath(`${basename(mount.source)}${rest}`);
    return { root: dirname(mount.source), pid: "", path: file, name, isWhole: false };
  }
}

/** Mappings as the agent reads them: first user IDs, then group IDs, each as `container:host:size`. */
function mapsOf(maps: IDMaps | undefined): string[] {
  if (maps === undefined) return ["", ""];
  return [maps.uids, maps.gids].map((mappings) => {
    return mappings.map(({ container, host, size }) => `${container}:${host}:${size}`).join(",");
  });
}

/** Times as the agent reads them: the one that none is after, and the one that none is before. */
function timesOf(times: FileTimes | undefined): string[] {
  if (times === undefined) return [];
  return [String(times.seconds), ...times.only === "all" ? [String(times.seconds)] : []];
}

/** Whether what a folder holds is meant, and not the folder: `/`, and what ends in `.`. */
function endsInItself(path: string): boolean {
  return path === "/" || path.endsWith("/.");
}

function factsOf({ path, mount }: TreePath, fields: readonly string[]): FileFacts {
  const [word, mode, size, time, nanos, target, isFolder] = fields;
  const link = target === "" ? undefined : target!;
  const base = mount === undefined ? "" : mount.destination;
  return {
    mode: Number(mode),
    size: Number(size),
    modified: BigInt(time!) * 1_000_000_000n + BigInt(nanos!),
    isFolder: isFolder === "1",
    ...(link === undefined ? {} : { target: resolveTarget(path, base, link, word === "facts") }),
    exists: word === "facts",
  };
}

/** A link's target as a path of the container: what it leads to, or where it would. */
function resolveTarget(path: string, base: string, target: string, exists: boolean): string {
  if (exists || target.startsWith("/")) return cleanPath(`${base}${target}`);
  return cleanPath(`${dirname(cleanPath(path))}/${target}`);
}
