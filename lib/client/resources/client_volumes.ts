import { ClientError, unlessMissing, withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import type { ResourceDialect, VolumeWish } from "../dialects/resources/resource_dialect.ts";
import type { VolumeView } from "../dialects/resources/resource_views.ts";
import { labelFilters } from "./label_filters.ts";

/** How a volume is made. Without a name the server gives it one; `options` are the driver's. */
export interface VolumeOptions extends VolumeWish, Abortable {}

/** The facts about a volume. */
export interface VolumeDetails {
  readonly name: string;
  readonly driver: string;
  /** The folder on the server's host. */
  readonly mountpoint: string;
  readonly created: Date | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

/** A volume that this client has made. `await using` removes it; containers that use it have to go before. */
export interface Volume extends VolumeDetails, AsyncDisposable {}

/**
 * The volumes of an engine.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function backUp({ volumes }: EngineClient, name: string): Promise<Uint8Array> {
 *   return new Uint8Array(await new Response(await volumes.export(name)).arrayBuffer());
 * }
 * ```
 */
export class ClientVolumes {
  readonly #dialect: ResourceDialect;

  constructor(dialect: ResourceDialect) {
    this.#dialect = dialect;
  }

  /**
   * Makes a volume.
   *
   * @throws {ClientError} `conflict` where the name is taken, in Podman's tree; Docker's answers with the volume that is there
   */
  async create({ signal, ...wish }: VolumeOptions = {}): Promise<Volume> {
    const action = `Create volume "${wish.name ?? ""}"`;
    const details = detailsOf(await withErrors(action, () => this.#dialect.createVolume(wish, { signal })));
    const dispose = () => unlessMissing(this.remove(details.name));
    return { ...details, [Symbol.asyncDispose]: dispose };
  }

  /** Lists volumes, all or those with certain labels. */
  async list({ labels, signal }: Abortable & { labels?: Readonly<Record<string, string>> } = {}): Promise<
    VolumeDetails[]
  > {
    const found = await withErrors("List volumes", () => this.#dialect.volumes(labelFilters(labels), { signal }));
    return found.map(detailsOf);
  }

  /** Looks at a volume. */
  async inspect(name: string, { signal }: Abortable = {}): Promise<VolumeDetails> {
    return detailsOf(
      await withErrors(`Inspect volume "${name}"`, () => this.#dialect.inspectVolume(name, { signal })),
    );
  }

  /** Removes a volume; with `force` in Podman's tree the containers that use it go, too. */
  async remove(name: string, { force = false, signal }: Abortable & { force?: boolean } = {}): Promise<void> {
    await withErrors(`Remove volume "${name}"`, () => this.#dialect.removeVolume(name, force, { signal }));
  }

  /** Removes the volumes that no container uses, and resolves with their names. Docker spares those that have names. */
  async prune({ labels, signal }: Abortable & { labels?: Readonly<Record<string, string>> } = {}): Promise<string[]> {
    return await withErrors("Prune volumes", () => this.#dialect.pruneVolumes(labelFilters(labels), { signal }));
  }

  /**
   * The files of a volume as a tar archive.
   *
   * @throws {ClientError} `unsupported` in Docker's tree, which has no such operation
   */
  async export(name: string, { signal }: Abortable = {}): Promise<ReadableStream<Uint8Array>> {
    const action = `Export volume "${name}"`;
    return await withErrors(action, async () => {
      if (this.#dialect.exportVolume === undefined) throw noArchive(action);
      return await this.#dialect.exportVolume(name, { signal });
    });
  }

  /**
   * Unpacks a tar archive into a volume that is there.
   *
   * @throws {ClientError} `unsupported` in Docker's tree, which has no such operation
   */
  async import(name: string, tar: ReadableStream<Uint8Array>, { signal }: Abortable = {}): Promise<void> {
    const action = `Import into volume "${name}"`;
    await withErrors(action, async () => {
      if (this.#dialect.importVolume === undefined) throw noArchive(action);
      await this.#dialect.importVolume(name, tar, { signal });
    });
  }
}

function noArchive(action: string): ClientError {
  const why = "Docker's tree has no such operation; mount the volume in a container and use its files";
  return new ClientError("unsupported", `${action}: ${why}`);
}

function detailsOf(view: VolumeView): VolumeDetails {
  return {
    name: view.Name,
    driver: view.Driver,
    mountpoint: view.Mountpoint ?? "",
    created: view.CreatedAt == null ? undefined : new Date(view.CreatedAt),
    labels: view.Labels ?? {},
    options: view.Options ?? {},
  };
}
