import { hostOf } from "../../core.ts";
import { admit, type Intake } from "./ingest.ts";
import { Slots } from "../../concurrency.ts";
import { unpackLayer } from "./unpack.ts";

/**
 * Layers of an archive that are unpacked while the rest of it still comes, before anything said what they are: their diff IDs
 * are known afterwards. A blob that is no layer does not unpack, which is no failure here; a layer that no image needs goes
 * with the intake's claim.
 */
export class EarlyLayers {
  readonly #intake: Intake;
  readonly #slots: Slots;
  readonly #stop = new AbortController();
  readonly #works = new Map<string, Promise<void>>();

  constructor(intake: Intake) {
    this.#intake = intake;
    this.#slots = new Slots(intake.core.options.limits.parallelBlobs);
  }

  /** Begins to unpack a stored blob, where there is a host. */
  begin(digest: string): void {
    if (this.#works.has(digest) || hostOf(this.#intake.core) === undefined) return;
    this.#works.set(digest, this.#unpack(digest));
  }

  /** Resolves when the blob is unpacked, as far as it can be. */
  async settled(digest: string): Promise<void> {
    await this.#works.get(digest);
  }

  /** Stops what is under way, and resolves when nothing is. */
  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#works.values());
  }

  async #unpack(digest: string): Promise<void> {
    const { core, content } = this.#intake;
    const layers = hostOf(core)?.layers;
    if (layers === undefined) return;
    const signal = AbortSignal.any([this.#intake.signal, this.#stop.signal]);
    const { limits } = core.options;
    await using notes = new AsyncDisposableStack();
    const named = async (diffID: string) => {
      await admit(this.#intake, `layer:${diffID}`);
      notes.use(await content.syncs.note(diffID, digest));
    };
    try {
      const work = () => unpackLayer(core.ports, layers, { digest }, { limits, signal, admit: named });
      const { diffID, size } = await this.#slots.use(work, signal);
      content.setLayerSize(diffID, size);
    } catch {
      // Ignore the failure: an image that needs the blob as a layer unpacks it once more, and reports the error.
    }
  }
}
