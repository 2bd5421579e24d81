/** The files of containers: what the engine offers of them, one call per operation. */
import type { NewLayer } from "../../images/ingest/ingest.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { FileTimes, StoredEntries, TreeChange } from "../../ports/tree_port.ts";
import { type Context, emitEvent } from "../context.ts";
import { requireHost } from "../../core.ts";
import {
  type PathFacts,
  readArchive,
  type ReadOptions,
  statPath,
  writeArchive,
  writeEntries,
  type WriteOptions,
} from "./archive.ts";
import { checkTrees, isAnyMounted, removeUnknown, type TreeDamage, unmountLeftover } from "./check_trees.ts";
import { commitContainer, type CommitOptions } from "./commit.ts";
import { type ChangesOptions, listChanges } from "./diff.ts";
import { finalLayer } from "./final_layer.ts";
import { mountContainer, mountedContainers, unmountContainer } from "./mount.ts";
import { holdTree, holdWhileRead } from "./held_tree.ts";

/** Containers are named as in `Containers`. Paths are theirs, resolved inside their trees. */
export class ContainerFiles {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Keeps the container's tree mounted until the result is disposed of, for who works on its files more than once. */
  hold(nameOrID: string): Promise<AsyncDisposable> {
    return holdTree(this.#context, nameOrID);
  }

  /** Tells what is at a path. Throws `no_such_file`; a link to nothing does not `exist`. */
  stat(nameOrID: string, path: string, signal?: AbortSignal): Promise<PathFacts> {
    return statPath(this.#context, nameOrID, path, signal);
  }

  /** Reads a path as a tar archive; a link to nothing has no archive. */
  read(
    nameOrID: string,
    path: string,
    options?: ReadOptions,
  ): Promise<{ facts: PathFacts; archive?: ReadableStream<Uint8Array> }> {
    return readArchive(this.#context, nameOrID, path, options);
  }

  /** Unpacks an archive, plain or compressed, at a path, which is made where it is missing. */
  write(nameOrID: string, path: string, archive: ReadableStream<Uint8Array>, options?: WriteOptions): Promise<void> {
    return writeArchive(this.#context, nameOrID, path, archive, options);
  }

  /** Makes entries at a path, which is made where it is missing, whose contents lie in files of this machine. */
  copy(
    nameOrID: string,
    path: string,
    stored: StoredEntries,
    options?: Omit<WriteOptions, "rename">,
  ): Promise<void> {
    return writeEntries(this.#context, nameOrID, path, () => Promise.resolve(stored), options);
  }

  /** Lists a container's changes to its image, or those of an image's top layer to the layers below, some at a time. */
  changes(options: ChangesOptions): AsyncIterable<TreeChange[]> {
    return listChanges(this.#context, options);
  }

  /** The container's whole tree as a tar archive, without its volumes. */
  async export(nameOrID: string): Promise<ReadableStream<Uint8Array>> {
    const host = requireHost(this.#context.core);
    const tree = await holdTree(this.#context, nameOrID);
    emitEvent(this.#context, tree.record, "export");
    return holdWhileRead(this.#context, tree, host.trees.export(tree.root, { idMaps: tree.record.idMaps }));
  }

  /** The parts of the container's tree that paths lead to, as a tar archive with the links on the way to them and the folders above. */
  async pick(nameOrID: string, paths: readonly string[]): Promise<ReadableStream<Uint8Array>> {
    const host = requireHost(this.#context.core);
    const tree = await holdTree(this.#context, nameOrID);
    return holdWhileRead(this.#context, tree, host.trees.pick(tree.root, paths));
  }

  /**
   * The container's changes to its image as a layer, a plain tar, without its volumes.
   *
   * @param mounted Absolute paths where something was mounted: what was made for that alone is left out
   * @param times Times that files get in place of their own
   */
  async changeset(
    nameOrID: string,
    mounted: readonly string[] = [],
    times?: FileTimes,
  ): Promise<ReadableStream<Uint8Array>> {
    const host = requireHost(this.#context.core);
    const tree = await holdTree(this.#context, nameOrID);
    const { id, idMaps, diffIDs } = tree.record;
    try {
      await host.layers.requireRoom(await host.layers.usage(id), "Read changes");
    } catch (error) {
      await tree[Symbol.asyncDispose]();
      throw error;
    }
    const files = host.trees.changeset(id, { idMaps, times, mounted: { paths: mounted, diffIDs } });
    return holdWhileRead(this.#context, tree, files);
  }

  /** The same of a container that will be removed next, whose files become the layer's; see {@linkcode finalLayer}. */
  finalLayer(nameOrID: string, mounted: readonly string[]): Promise<NewLayer | undefined> {
    return finalLayer(this.#context, nameOrID, mounted);
  }

  /** Makes an image of the container's tree. */
  async commit(nameOrID: string, options: CommitOptions): Promise<ImageRecord> {
    return await commitContainer(this.#context, nameOrID, options);
  }

  /** Mounts the tree for the host's users, and gives its path there. Mounts are counted, and outlast the engine. */
  async mount(nameOrID: string): Promise<string> {
    return await mountContainer(this.#context, nameOrID);
  }

  /** Takes back one mount, or all of them with `force`. */
  async unmount(nameOrID: string, options?: { force?: boolean }): Promise<void> {
    await unmountContainer(this.#context, nameOrID, options);
  }

  /** The host's paths of all mounted trees, by container ID. */
  mounted(): Promise<Record<string, string>> {
    return mountedContainers(this.#context);
  }

  /** Compares the records of containers with their trees on the host; see {@linkcode checkTrees}. */
  check(): Promise<TreeDamage> {
    return checkTrees(this.#context);
  }

  /** Unmounts a tree that {@linkcode ContainerFiles.check} found mounted for nobody. */
  unmountLeftover(id: string): Promise<void> {
    return unmountLeftover(this.#context, id);
  }

  /** Deletes a writable layer that no container has. Tells whether it did. */
  removeUnknown(id: string): Promise<boolean> {
    return removeUnknown(this.#context, id);
  }

  /** Whether a tree of these containers is mounted. */
  isAnyMounted(ids: readonly string[]): Promise<boolean> {
    return isAnyMounted(this.#context, ids);
  }
}
