import { messageOf } from "../../../oci/message_of.ts";
import { type Core, hostOf } from "../../core.ts";
import type { Intent } from "../../store/intents.ts";

const SYNC_INTENT = "layer.sync";
/** Milliseconds after which a layer is synced: more come by then, and whoever writes to the disk during a sync waits for it. */
const SYNC_AFTER = 5000;

type SyncCore = Pick<Core, "ports" | "state" | "intents" | "clock" | "log">;

/**
 * Layers that are unpacked, and may not be on the disk yet. Each is noted before it can be seen, with the boot of the machine, and
 * is made durable behind the answer: it comes of a blob that is durable, so a layer which the machine's end has damaged is unpacked
 * anew. The end of this process alone damages nothing.
 */
export class LayerSyncs {
  readonly #core: SyncCore;
  /** The notes of all layers that may be on the disk, or not. */
  readonly #noted = new Set<Intent>();
  /** The notes of layers that are whole by now, or were given up. */
  #made: Intent[] = [];
  #running: Promise<void> | undefined;
  /** Ends the wait before a sync. */
  #hurry = new AbortController();
  #boot: Promise<string | undefined> | undefined;

  constructor(core: SyncCore) {
    this.#core = core;
  }

  /**
   * Notes that a layer is about to be unpacked from a blob; whoever disposes of the result says that it is whole, or was given up.
   * A host that does not know its boots makes the layer durable before the disposal resolves.
   */
  async note(diffID: string, blob: string): Promise<AsyncDisposable> {
    const boot = await this.#currentBoot();
    const { intent, operation } = this.#core.intents.begin(SYNC_INTENT, diffID, { boot: boot ?? "", blob });
    await this.#core.state.commit([operation]);
    this.#noted.add(intent);
    return {
      [Symbol.asyncDispose]: async () => {
        this.#made.push(intent);
        const running = this.#run();
        running.catch(() => {});
        if (boot !== undefined) return;
        this.#hurry.abort();
        await running;
      },
    };
  }

  /** Tells which layers were unpacked from a blob and may not be on the disk, by their diff IDs. */
  from(blob: string): string[] {
    return [...this.#noted].filter(({ details }) => details.blob === blob).map(({ subject }) => subject);
  }

  /** Brings every layer that is whole by now to the disk; resolves when they are there, or cannot be brought there. */
  async settle(): Promise<void> {
    if (this.#running === undefined) return;
    this.#hurry.abort();
    await this.#running.catch(() => {});
  }

  /**
   * Has the needed layers unpacked anew that were made before the machine was booted and may not have reached the disk. Called once,
   * at start.
   *
   * @param mend Unpacks a layer, and tells whether it could; one that cannot be is removed, since nobody knows what it has
   */
  async recover(
    isNeeded: (diffID: string) => boolean,
    mend: (diffID: string, blob: string) => Promise<boolean>,
  ): Promise<void> {
    const notes = this.#core.intents.open(SYNC_INTENT);
    const layers = hostOf(this.#core)?.layers;
    if (notes.length === 0 || layers === undefined) return;
    const boot = await this.#currentBoot();
    const isLost = (note: Intent) => boot !== undefined && note.details.boot !== "" && note.details.boot !== boot;
    const lost = new Map(notes.filter(isLost).map(({ subject, details }) => [subject, details.blob]));
    for (const [diffID, blob] of lost) {
      if (!isNeeded(diffID)) continue;
      this.#core.log("warn", `Unpack layer ${diffID} anew: the machine stopped before the layer was on the disk`);
      if (!await mend(diffID, blob)) await layers.remove(diffID);
    }
    for (const note of notes) this.#noted.add(note);
    this.#made.push(...notes);
    this.#run().catch(() => {});
  }

  #run(): Promise<void> {
    if (this.#running === undefined && this.#made.length > 0) this.#running = this.#syncMade();
    return this.#running ?? Promise.resolve();
  }

  /** Syncs until every layer that is whole is on the disk. After a failure the notes stay, for the next try and the next start. */
  async #syncMade(): Promise<void> {
    const { state, intents, clock, log } = this.#core;
    try {
      while (this.#made.length > 0) {
        await clock.sleep(SYNC_AFTER, this.#hurry.signal).catch(() => {});
        const notes = this.#made;
        this.#made = [];
        try {
          await hostOf(this.#core)?.layers.sync();
          await state.commit(notes.map((note) => intents.end(note)));
        } catch (error) {
          this.#made.push(...notes);
          throw error;
        }
        for (const note of notes) this.#noted.delete(note);
      }
    } catch (error) {
      log("error", `Sync unpacked layers: ${messageOf(error)}`);
      throw error;
    } finally {
      // At once, so that whoever comes next finds either a run that goes on or none.
      this.#running = undefined;
      this.#hurry = new AbortController();
    }
  }

  #currentBoot(): Promise<string | undefined> {
    return this.#boot ??= hostOf(this.#core)?.bootID() ?? Promise.resolve(undefined);
  }
}
