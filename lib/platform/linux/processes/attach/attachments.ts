import { existsSync } from "node:fs";
import type { Attachment } from "../../../../engine/ports/host_port.ts";
import { type AttachStreams, attachTo } from "./attach.ts";
import { notRunning } from "../not_running.ts";

/** The open attachments of containers. */
export class Attachments {
  readonly #open = new Map<string, Set<Attachment>>();

  /** Attaches to a container whose supervisor works in `bundle`. Throws `EngineError("state")` where there is none. */
  async attach(containerID: string, bundle: string, streams: AttachStreams): Promise<Attachment> {
    if (!existsSync(bundle)) throw notRunning("Attach", containerID);
    const attachment = await attachTo(bundle, streams, () => this.#forget(containerID, attachment));
    const open = this.#open.get(containerID) ?? new Set();
    this.#open.set(containerID, open.add(attachment));
    return attachment;
  }

  /** Ends all attachments of a container, whatever its clients have not read yet. */
  cut(containerID: string): void {
    for (const attachment of this.#open.get(containerID) ?? []) attachment.close();
  }

  #forget(containerID: string, attachment: Attachment): void {
    const open = this.#open.get(containerID);
    open?.delete(attachment);
    if (open?.size === 0) this.#open.delete(containerID);
  }
}
