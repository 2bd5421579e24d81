import { cText, library, READ_ONLY } from "../calls/libc.ts";

/** The mounts that this process sees. */
export const MOUNT_TABLE = "/proc/self/mountinfo";
/** `POLLPRI` of poll(2), which proc_pid_mountinfo(5) gives when the table has changed, and the size of `pollfd`. */
const CHANGED = 2;
const POLLED = 8;

/** Tells whether anything was mounted or unmounted in the namespace of this process. */
export class MountNews {
  #file = -1;
  /** `pollfd`: the table, and what is waited for. */
  readonly #polled = new Uint8Array(POLLED);

  /**
   * Whether the table may have changed since the last call: always at the first, on Node, and where it cannot be had. A table that is read
   * after the call is as new as it.
   */
  take(): boolean {
    const calls = library();
    if (calls === null) return true;
    if (this.#file < 0) {
      this.#file = calls.open(cText(MOUNT_TABLE), READ_ONLY, 0);
      // In the order of this machine, as C has it.
      new Int32Array(this.#polled.buffer)[0] = this.#file;
      new Int16Array(this.#polled.buffer)[2] = CHANGED;
      return true;
    }
    return calls.poll(this.#polled, 1n, 0) !== 0;
  }
}
