import { formatReference, normaliseReference, type Reference, repositoryName } from "../../../oci/reference.ts";
import { RegistryClient } from "../../../oci/registry/registry_client.ts";
import { RegistryError } from "../../../oci/registry/registry_error.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import { pullFailure } from "../../images/failures.ts";
import type { Images } from "../../images/images.ts";
import { registryOptions } from "../../images/registry_options.ts";
import { registryReference } from "../../images/transport.ts";
import type { Platform } from "../../options.ts";
import type { BuildOptions } from "../build_options.ts";
import { readRemoteImage } from "./remote_image.ts";
import { type SharedImage, type SharedStep, stepAt, stepWithKey } from "./shared_step.ts";

/** A place that results of steps are looked for in. */
interface Source {
  name: string;
  reference: Reference;
  client: RegistryClient;
  /** The image of the name with its own steps; read when the first step asks. */
  image?: Promise<SharedImage | undefined>;
}

/**
 * The caches that a build may take results of steps from: images that have the keys of their steps, and repositories that have
 * the image of a step under its key as tag. One that cannot be reached makes the build slower, and does not fail it.
 */
export class SharedCache {
  readonly #core: Core;
  readonly #images: Images;
  readonly #platform: Platform;
  readonly #findName: (name: string) => string;
  #sources: Source[];
  #notes: string[] = [];

  /** Throws `EngineError("invalid")` for a source's name that is none. */
  constructor(core: Core, images: Images, options: BuildOptions, platform: Platform) {
    this.#core = core;
    this.#images = images;
    this.#platform = platform;
    this.#findName = options.findName ?? ((name) => name);
    this.#sources = [...new Set(options.cacheFrom)].map((name) => {
      const reference = cacheReference(name, options);
      // The build goes on without it: there is no use in waiting for a registry that is gone.
      const access = { ...options.registry, retries: options.registry?.retries ?? 0 };
      return {
        name,
        reference,
        client: new RegistryClient(core.ports.net, registryOptions(core, access, [reference.domain])),
      };
    });
  }

  /** Finds the result of a step by its key. */
  async find(key: string, signal: AbortSignal, most = Infinity): Promise<SharedStep | undefined> {
    for (const source of this.#sources) {
      try {
        const step = await this.#findIn(source, key, signal);
        if (step && this.#core.clock.now() - Date.parse(step.created) <= most) return step;
      } catch (error) {
        signal.throwIfAborted();
        this.#sources = this.#sources.filter((one) => one !== source);
        this.#notes.push(`Cache of ${source.name} is left out: ${messageOf(error)}\n`);
      }
    }
  }

  /** Returns what there is to tell of sources since the last call. */
  takeNotes(): string[] {
    return this.#notes.splice(0);
  }

  async #findIn(source: Source, key: string, signal: AbortSignal): Promise<SharedStep | undefined> {
    source.image ??= this.#readImage(source, signal);
    const image = await source.image;
    const own = image && stepWithKey(image, key);
    if (own !== undefined) return own;
    const reference = keyReference(source.reference, key);
    const found = await absentAs(() => readRemoteImage(source.client, reference, this.#platform, signal));
    const step = found && stepAt(found);
    return step && { ...step, repository: repositoryName(source.reference) };
  }

  async #readImage({ name, reference, client }: Source, signal: AbortSignal): Promise<SharedImage | undefined> {
    const local = this.#localImage(name);
    if (local !== undefined) return local;
    const tagged = reference.tag === undefined && reference.digest === undefined
      ? { ...reference, tag: "latest" }
      : reference;
    return await absentAs(() => readRemoteImage(client, tagged, this.#platform, signal));
  }

  #localImage(name: string): SharedImage | undefined {
    const full = this.#findName(name);
    if (!this.#images.exists(full)) return undefined;
    const { config, layers } = this.#images.resolve(full, this.#platform);
    return {
      config,
      open: async (layer) => {
        const blob = await this.#core.ports.blobs.open(layers[layer]?.digest ?? "");
        if (blob !== undefined) return blob;
        throw new EngineError("corrupt", `Open layer ${layer} of ${name}: its blob is not here`);
      },
    };
  }
}

/** The reference that the name of a cache means. Throws `EngineError("invalid")`. */
export function cacheReference(name: string, { fullName = (name) => name }: Pick<BuildOptions, "fullName">): Reference {
  try {
    const reference = normaliseReference(registryReference(name));
    // A full name gets a tag where the caller's API gives it one.
    return reference.tag === undefined && reference.digest === undefined
      ? { ...normaliseReference(fullName(name)), tag: undefined }
      : normaliseReference(fullName(name));
  } catch (error) {
    throw new EngineError("invalid", `Build cache "${name}": ${pullFailure(error).message}`, { cause: error });
  }
}

/** The place of a step in a repository: its key is the tag. */
export function keyReference(reference: Reference, key: string): Reference {
  return { ...reference, digest: undefined, tag: key.slice(key.indexOf(":") + 1) };
}

/** The name of a step's place, for a push. */
export function keyName(reference: Reference, key: string): string {
  return formatReference(keyReference(reference, key));
}

async function absentAs<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RegistryError && error.status === 404) return undefined;
    throw error;
  }
}
