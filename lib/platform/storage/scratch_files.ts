import { mkdir, rename, rm } from "node:fs/promises";

/**
 * Blobs that need not last, in a folder that is emptied when the store is opened: what a crash has left of them may not be on the disk,
 * and nobody would know. They are named by the hex digits of their digests.
 */
export class ScratchFiles {
  readonly #folder: string;
  readonly #names = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the folder, and deletes what is in it. */
  static async open(folder: string): Promise<ScratchFiles> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new ScratchFiles(folder);
  }

  /** The path of a blob; `undefined` where there is none. */
  find(hex: string): string | undefined {
    return this.#names.has(hex) ? `${this.#folder}/${hex}` : undefined;
  }

  /** Takes a file, which must be whole, in place of any of that name. */
  async add(hex: string, file: string): Promise<void> {
    await rename(file, `${this.#folder}/${hex}`);
    this.#names.add(hex);
  }

  /** Deletes a blob; nothing where there is none. */
  async delete(hex: string): Promise<void> {
    if (this.#names.delete(hex)) await rm(`${this.#folder}/${hex}`, { force: true });
  }

  /** The names of all that there are now. */
  list(): string[] {
    return [...this.#names];
  }
}
