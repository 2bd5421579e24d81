import type { ImageRecord } from "../../records/image_record.ts";
import type { ImageParts } from "../ingest/ingest.ts";
import { importImage, type ImportOptions } from "./import.ts";
import { loadImages, loadPath, type LoadReport } from "./load.ts";
import { copyImage } from "./scp.ts";
import { saveImages, type SaveOptions } from "./save.ts";

/** Runs work that the engine's end, or the signal, stops. */
export type Track = <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** Images to and from archives. */
export class ImageArchives {
  readonly #parts: ImageParts;
  readonly #track: Track;

  constructor(parts: ImageParts, track: Track) {
    this.#parts = parts;
    this.#track = track;
  }

  /** Loads the images of an archive; see {@linkcode loadImages}. */
  load(archive: ReadableStream<Uint8Array>, { signal }: { signal?: AbortSignal } = {}): Promise<LoadReport> {
    return this.#track(signal, (signal) => loadImages(this.#parts, archive, signal));
  }

  /** Loads what a path of the host holds; see {@linkcode loadPath}. */
  loadPath(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<LoadReport> {
    return this.#track(signal, (signal) => loadPath(this.#parts, path, signal));
  }

  /** Saves images as an archive; see {@linkcode saveImages}. */
  save(names: readonly string[], options: SaveOptions): Promise<ReadableStream<Uint8Array>> {
    return saveImages(this.#parts, names, options);
  }

  /** Copies an image between engines; see {@linkcode copyImage}. */
  copy(source: string, destination: string, { signal }: { signal?: AbortSignal } = {}): Promise<string> {
    return this.#track(signal, (signal) => copyImage(this.#parts, { source, destination }, signal));
  }

  /** Makes an image of a root file system's tar; see {@linkcode importImage}. */
  import(source: ReadableStream<Uint8Array> | URL, options: ImportOptions = {}): Promise<ImageRecord> {
    return this.#track(options.signal, (signal) => importImage(this.#parts, source, { ...options, signal }));
  }
}
