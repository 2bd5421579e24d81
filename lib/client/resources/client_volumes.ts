import { ClientError, withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import { labelFilters, type LabelOptions, unlessMissing, writeFilters } from "./lookups.ts";
import type { ResourceDialect, VolumeRequest } from "./resource_dialect.ts";
import type { VolumeView } from "./resource_views.ts";

/** The facts about a volume. */
export interface VolumeDetails {
  readonly name: string;
  readonly driver: string;
  /** The folder of the server's host. */
  readonly mountpoint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  /** Absent where the server does not say. */
  readonly created: Date | undefined;
}

/**
 * A volume. `await using` removes one that this client has made; one that was only looked up stays.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function keepFor(engine: EngineClient, work: (name: string) => Promise<void>): Promise<void> {
 *   await using volume = await engine.volumes.create();
 *   await work(volume.name);
 * }
 * ```
 */
export class ClientVolume implements AsyncDisposable {
  readonly name: string;
  /** As it was when the volume was made or looked up. */
  readonly details: VolumeDetails;
  readonly #dialect: ResourceDialect;
  readonly #isOwned: boolean;

  constructor(dialect: ResourceDialect, view: VolumeView, isOwned: boolean) {
    this.details = volumeDetails(view);
    this.name = this.details.name;
    this.#dialect = dialect;
    this.#isOwned = isOwned;
  }

  /**
   * Its content as a plain tar.
   *
   * @throws {ClientError} `unsupported` in Docker's tree, which has no such operation
   */
  async export({ signal }: Abortable = {}): Promise<ReadableStream<Uint8Array>> {
    const action = `Export volume "${this.name}"`;
    const work = this.#dialect.exportVolume;
    if (work === undefined) throw new ClientError("unsupported", `${action}: Docker's tree has no archives of volumes`);
    return await withErrors(action, () => work(this.name, { signal }));
  }

  /**
   * Unpacks a tar over its content.
   *
   * @throws {ClientError} `unsupported` in Docker's tree, which has no such operation
   */
  async import(tar: ReadableStream<Uint8Array>, { signal }: Abortable = {}): Promise<void> {
    const action = `Import into volume "${this.name}"`;
    const work = this.#dialect.importVolume;
    if (work === undefined) {
      await tar.cancel();
      throw new ClientError("unsupported", `${action}: Docker's tree has no archives of volumes`);
    }
    await withErrors(action, () => work(this.name, tar, { signal }));
  }

  /** Removes it, if it is there. A volume that a container has is a `conflict`. */
  async remove({ signal }: Abortable = {}): Promise<void> {
    await unlessMissing(`Remove volume "${this.name}"`, () => this.#dialect.removeVolume(this.name, { signal }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwned) await this.remove();
  }
}

/**
 * The volumes of an engine.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function namesOf({ volumes }: EngineClient): Promise<string[]> {
 *   return (await volumes.list({ labels: { app: "shop" } })).map(({ name }) => name);
 * }
 * ```
 */
export class ClientVolumes {
  readonly #dialect: ResourceDialect;

  constructor(dialect: ResourceDialect) {
    this.#dialect = dialect;
  }

  /** Makes a volume; without a name the server chooses one. A name that is taken is a `conflict` in Podman's tree, and found in Docker's. */
  async create({ signal, ...request }: VolumeRequest & Abortable = {}): Promise<ClientVolume> {
    const action = request.name === undefined ? "Create a volume" : `Create volume "${request.name}"`;
    const view = await withErrors(action, () => this.#dialect.createVolume(request, { signal }));
    return new ClientVolume(this.#dialect, view, true);
  }

  /** Looks a volume up. */
  async get(name: string, { signal }: Abortable = {}): Promise<ClientVolume> {
    const view = await withErrors(`Find volume "${name}"`, () => this.#dialect.inspectVolume(name, { signal }));
    return new ClientVolume(this.#dialect, view, false);
  }

  /** Lists volumes. */
  async list({ signal, ...options }: LabelOptions = {}): Promise<VolumeDetails[]> {
    const found = await withErrors(
      "List volumes",
      () => this.#dialect.volumes(writeFilters(labelFilters(options)), { signal }),
    );
    return found.map(volumeDetails);
  }

  /** Removes the volumes that no container has and nobody has named, or with `all` named ones too; resolves with their names. */
  async prune({ all = false, signal }: { readonly all?: boolean } & Abortable = {}): Promise<string[]> {
    return await withErrors("Prune volumes", () => this.#dialect.pruneVolumes(all, { signal }));
  }
}

function volumeDetails({ Name, Driver, Mountpoint, Labels, Options, CreatedAt }: VolumeView): VolumeDetails {
  const created = CreatedAt == null ? undefined : new Date(CreatedAt);
  return { name: Name, driver: Driver, mountpoint: Mountpoint, labels: Labels ?? {}, options: Options ?? {}, created };
}
