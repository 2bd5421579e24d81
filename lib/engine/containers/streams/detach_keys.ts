import { invalid } from "../../errors.ts";

/** The key sequence that detaches by default. */
export const DEFAULT_DETACH_KEYS = "ctrl-p,ctrl-q";

/**
 * Reads a key sequence: keys between commas, each a character or `ctrl-` with a letter or one of `@ [ \ ] ^ _`. Empty: no
 * sequence. Throws `EngineError("invalid")`.
 */
export function parseDetachKeys(text: string): Uint8Array {
  if (text === "") return new Uint8Array();
  return Uint8Array.from(text.split(","), (key) => {
    const control = /^ctrl-([a-z@[\\\]^_])$/i.exec(key)?.[1];
    if (control) return control.toUpperCase().charCodeAt(0) & 31;
    if (key.length === 1 && key.charCodeAt(0) < 128) return key.charCodeAt(0);
    throw invalid(`unable to parse detach keys "${text}": unknown key "${key}"`);
  });
}

/**
 * Looks for a key sequence in typed bytes. Bytes that may be its beginning are held back until it is known that they are
 * not.
 */
export class DetachScanner {
  readonly #keys: Uint8Array;
  #matched = 0;

  constructor(keys: Uint8Array) {
    this.#keys = keys;
  }

  /** Returns the bytes to pass on, and whether the sequence was completed: nothing after it is passed on. */
  scan(bytes: Uint8Array): { data: Uint8Array; detached: boolean } {
    const keys = this.#keys;
    // Nearly every chunk: nothing held, nothing that could begin the sequence.
    if (keys.length === 0 || (this.#matched === 0 && !bytes.includes(keys[0]))) return { data: bytes, detached: false };
    const out = new Uint8Array(bytes.length + keys.length);
    let length = 0;
    for (const byte of bytes) {
      while (this.#matched > 0 && byte !== keys[this.#matched]) length = this.#release(out, length);
      if (byte !== keys[this.#matched]) out[length++] = byte;
      else if (++this.#matched === keys.length) return { data: out.subarray(0, length), detached: true };
    }
    return { data: out.subarray(0, length), detached: false };
  }

  /** Held bytes that turned out to be ordinary input: for the end of the stream. */
  flush(): Uint8Array {
    const held = this.#keys.slice(0, this.#matched);
    this.#matched = 0;
    return held;
  }

  /** After a mismatch: passes held bytes on until the rest is the beginning of the sequence again, or nothing is held. */
  #release(out: Uint8Array, length: number): number {
    const keys = this.#keys;
    let passed = 1;
    while (!isPrefix(keys, keys.subarray(passed, this.#matched))) passed++;
    out.set(keys.subarray(0, passed), length);
    this.#matched -= passed;
    return length + passed;
  }
}

function isPrefix(keys: Uint8Array, part: Uint8Array): boolean {
  return part.every((byte, i) => byte === keys[i]);
}
