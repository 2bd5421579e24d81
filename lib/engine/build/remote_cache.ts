import { messageOf } from "../../oci/message_of.ts";
import { parseReference, repositoryName } from "../../oci/reference.ts";
import { EngineError } from "../errors.ts";
import type { Images } from "../images/images.ts";
import type { RegistryAccess } from "../images/types.ts";
import type { ImageRecord } from "../records/image_record.ts";

/** The settings of a cache in registries: repositories by their full names; a tag in them counts for nothing. */
export interface RemoteCacheOptions {
  from: readonly string[];
  to: readonly string[];
  access?: RegistryAccess;
  signal: AbortSignal;
}

/**
 * Results of build steps in repositories of registries, so that engines share them: the image of a step has the digest of everything
 * that went into it as its tag. Only steps that change files are there; the others cost nothing to do again.
 */
export class RemoteCache {
  readonly #images: Images;
  readonly #options: RemoteCacheOptions;
  readonly #from: Set<string>;
  readonly #to: readonly string[];
  /** Transfers that are under way, and what became of them. */
  #sent: Promise<void> = Promise.resolve();

  /** Throws `EngineError("invalid")` for a name that is none. */
  constructor(images: Images, options: RemoteCacheOptions) {
    this.#images = images;
    this.#options = options;
    this.#from = new Set(options.from.map(repositoryOf));
    this.#to = [...new Set(options.to.map(repositoryOf))];
  }

  /**
   * Fetches the image of a step; `undefined` where nobody has kept one. A repository that cannot be asked is not asked again, which is told
   * to `warn`: a build does not fail for that.
   */
  async find(key: string, warn: (text: string) => void): Promise<Readonly<ImageRecord> | undefined> {
    const { access, signal } = this.#options;
    for (const repository of this.#from) {
      const name = `${repository}:${tagOf(key)}`;
      try {
        for await (const _ of this.#images.pull(name, { ...access, policy: "always", signal }));
        const image = this.#images.find(name).image;
        // The name is the registry's way to find it, and nobody's here.
        await this.#images.untag(image.id, [name]);
        return image;
      } catch (error) {
        if (signal.aborted || !(error instanceof EngineError)) throw error;
        if (error.status === 404) continue;
        this.#from.delete(repository);
        warn(`The cache in ${repository} is left out: ${messageOf(error)}\n`);
      }
    }
  }

  /** Has the image of a step sent to the repositories, one after the other, while the build goes on. */
  keep(key: string, image: string): void {
    const { access, signal } = this.#options;
    for (const repository of this.#to) {
      const destination = `${repository}:${tagOf(key)}`;
      this.#sent = this.#sent.then(async () => {
        for await (const _ of this.#images.push(image, { ...access, destination, signal }));
      });
    }
    // Its failure is the build's, at the end.
    this.#sent.catch(() => {});
  }

  /** Waits until everything is sent. Throws what sending threw: `registry`, `cancelled`. */
  async finish(): Promise<void> {
    await this.#sent;
  }
}

/** A digest has a colon, which a tag has not. */
function tagOf(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

function repositoryOf(name: string): string {
  try {
    return repositoryName(parseReference(name));
  } catch (cause) {
    throw new EngineError("invalid", `Build: the cache "${name.slice(0, 200)}" is no repository: ${messageOf(cause)}`, {
      cause,
    });
  }
}
