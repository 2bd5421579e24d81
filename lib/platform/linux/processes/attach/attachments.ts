import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Attachment } from "../../../../engine/ports/host_port.ts";
import type { Carriers } from "../nursery/nursery_sockets.ts";
import { type AttachStreams, attachTo } from "./attach.ts";
import { notRunning } from "../not_running.ts";

/** Milliseconds for clients to read what a container said before it ended; as long as Docker's daemon waits. */
const PATIENCE = 2_000;

/** The open attachments of containers. */
export class Attachments {
  readonly #parts: Carriers;
  /** With each, the promise of its end. */
  readonly #open = new Map<string, Map<Attachment, Promise<void>>>();

  constructor(parts: Carriers) {
    this.#parts = parts;
  }

  /** Attaches to a container whose supervisor works in `bundle`. Throws `EngineError("state")` where there is none. */
  async attach(containerID: string, bundle: string, streams: AttachStreams): Promise<Attachment> {
    if (!existsSync(bundle)) throw notRunning("Attach", containerID);
    const { promise, resolve } = Promise.withResolvers<void>();
    const attachment = await attachTo(this.#parts, bundle, streams, resolve);
    const open = this.#open.get(containerID) ?? new Map();
    this.#open.set(containerID, open.set(attachment, promise));
    promise.then(() => this.#forget(containerID, attachment));
    return attachment;
  }

  /** Ends all attachments of a container, whatever its clients have not read yet. */
  cut(containerID: string): void {
    for (const attachment of this.#open.get(containerID)?.keys() ?? []) attachment.close();
  }

  /** Resolves when clients have read to the end what a container that has ended said, or take too long; undefined where there is none. */
  readToEnd(containerID: string): Promise<unknown> | undefined {
    const open = this.#open.get(containerID);
    if (open === undefined) return undefined;
    const patience = new AbortController();
    const ends = Promise.all(open.values()).finally(() => patience.abort());
    return Promise.race([ends, setTimeout(PATIENCE, undefined, { signal: patience.signal }).catch(() => {})]);
  }

  #forget(containerID: string, attachment: Attachment): void {
    const open = this.#open.get(containerID);
    open?.delete(attachment);
    if (open?.size === 0) this.#open.delete(containerID);
  }
}
