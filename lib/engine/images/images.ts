import type { Core } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { ImageRecord } from "../image_record.ts";
import type { ImageUsers, PullOptions, PullProgress, RemoveImageOptions, RemoveImageReport } from "./types.ts";

/** What images need of the core; the rest of it is not there yet when they are made. */
export type ImagesCore = Omit<Core, "images">;

/** The engine's images: their records, their names, and the blobs and unpacked layers they share. */
export class Images {
  readonly #core: ImagesCore;
  /** Who uses images. */
  users: ImageUsers = { of: () => [], remove: () => Promise.resolve() };

  constructor(core: ImagesCore) {
    this.#core = core;
  }

  /** Every image, newest first. */
  list(): Readonly<ImageRecord>[] {
    return this.#core.state.table<ImageRecord>("images").values();
  }

  /** The image of that name, ID, ID prefix or digest. Throws `no_such_image` or `ambiguous`. */
  resolve(nameOrID: string): ImageRecord {
    throw new EngineError("no_such_image", `${nameOrID}: image not known`, { sentinel: "image not known" });
  }

  /** Whether there is one. */
  exists(nameOrID: string): boolean {
    return this.list().some((image) => image.id === nameOrID);
  }

  /** Keeps an image from being removed until the result is disposed: for who is about to use it. */
  pin(_id: string): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  /** Pulls an image and tells how it goes. Nothing happens until the first value is asked for. */
  // deno-lint-ignore require-yield -- a signature to build on
  async *pull(_reference: string, _options: PullOptions = {}): AsyncIterable<PullProgress> {
    await Promise.reject(new EngineError("unsupported", "Not yet"));
  }

  remove(_nameOrID: string, _options: RemoveImageOptions = {}): Promise<RemoveImageReport> {
    return Promise.reject(new EngineError("unsupported", "Not yet"));
  }

  /** Gives an image one more name; another image loses it. */
  tag(_nameOrID: string, _repository: string, _tag?: string): Promise<void> {
    return Promise.reject(new EngineError("unsupported", "Not yet"));
  }

  /** Takes names off an image; all of them when none is given. */
  untag(_nameOrID: string, _names: readonly string[] = []): Promise<void> {
    return Promise.reject(new EngineError("unsupported", "Not yet"));
  }

  /** Deletes what an interrupted pull or removal left. Called once, at start. */
  recover(): Promise<void> {
    return Promise.resolve();
  }
}
