import { ClientError, withErrors } from "./client_error.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { type Progress, readSteps } from "./progress.ts";

/** A name and a password for a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** How an image is pulled or pushed. */
export interface TransferOptions {
  /** `linux/arm64`; the server's own by default. For pulls. */
  readonly platform?: string;
  readonly auth?: RegistryLogin;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** An image that the engine has. */
export interface ImageSummary {
  /** The digest of its configuration, in hex. */
  readonly id: string;
  readonly tags: readonly string[];
  /** Bytes. */
  readonly size: number;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The images of an engine.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "./mod.ts";
 * async function freshen({ images }: EngineClient): Promise<string> {
 *   return await images.pull("alpine", { onProgress: ({ text }) => console.log(text) });
 * }
 * ```
 */
export class ClientImages {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Pulls an image, and resolves with its ID in hex. A name without tag and digest means `latest`. */
  async pull(image: string, { platform, auth, onProgress, signal }: TransferOptions = {}): Promise<string> {
    const action = `Pull "${image}"`;
    const name = withTag(image);
    return await withErrors(action, async () => {
      await readSteps(
        action,
        await this.#dialect.pull(name, platform, { signal, headers: loginHeaders(auth) }),
        onProgress,
      );
      return plainID((await this.#dialect.inspectImage(name, { signal })).Id);
    });
  }

  /** Pushes an image to the registry in its name. */
  async push(image: string, { auth, onProgress, signal }: TransferOptions = {}): Promise<void> {
    const action = `Push "${image}"`;
    await withErrors(action, async () => {
      // Docker insists on the header, be it empty.
      const headers = loginHeaders(auth ?? {});
      await readSteps(action, await this.#dialect.push(withTag(image), { signal, headers }), onProgress);
    });
  }

  /** Lists the images. */
  async list({ all = false, signal }: { all?: boolean; signal?: AbortSignal } = {}): Promise<ImageSummary[]> {
    const images = await withErrors("List images", () => this.#dialect.images(all, { signal }));
    return images.map(({ Id, RepoTags, Size, Labels }) => ({
      id: plainID(Id),
      tags: RepoTags ?? [],
      size: Size,
      labels: Labels ?? {},
    }));
  }

  /** Whether the engine has an image of this name or ID. */
  async exists(image: string, { signal }: { signal?: AbortSignal } = {}): Promise<boolean> {
    try {
      await withErrors(`Look for image "${image}"`, () => this.#dialect.inspectImage(image, { signal }));
      return true;
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return false;
      throw error;
    }
  }

  /** Removes an image; `force` removes it with the containers that were made from it. */
  async remove(
    image: string,
    { force = false, signal }: { force?: boolean; signal?: AbortSignal } = {},
  ): Promise<void> {
    await withErrors(`Remove image "${image}"`, () => this.#dialect.removeImage(image, force, { signal }));
  }

  /** Gives an image one more name. */
  async tag(image: string, name: string, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const full = withTag(name);
    const colon = full.lastIndexOf(":");
    const target = { repo: full.slice(0, colon), tag: full.slice(colon + 1) };
    await withErrors(`Tag image "${image}"`, () => this.#dialect.tagImage(image, target, { signal }));
  }

  /** An image as an archive that {@linkcode ClientImages.load} takes. */
  async save(image: string, { signal }: { signal?: AbortSignal } = {}): Promise<ReadableStream<Uint8Array>> {
    return await withErrors(`Save image "${image}"`, () => this.#dialect.saveImage(image, { signal }));
  }

  /** Loads the images of an archive. */
  async load(archive: ReadableStream<Uint8Array>, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await withErrors("Load images", () => this.#dialect.loadImages(archive, { signal }));
  }
}

/** A name with `:latest` where it has neither tag nor digest: Docker would pull every tag. */
export function withTag(name: string): string {
  return /@|:[^/]*$/.test(name) ? name : `${name}:latest`;
}

/** An ID without its algorithm, which one tree has and the other has not. */
export function plainID(id: string): string {
  return id.replace(/^sha256:/, "");
}

/** The credentials of a call, as both trees read them: JSON in base64url. */
function loginHeaders(auth: Partial<RegistryLogin> | undefined): HeadersInit | undefined {
  if (auth === undefined) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify({ username: auth.username, password: auth.password }));
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  return { "X-Registry-Auth": text };
}
