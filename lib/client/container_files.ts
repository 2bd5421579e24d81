import { tarEntries, type TarEntry, type TarFile, tarStream } from "../oci/tar/tar_entries.ts";
import { ClientError, withErrors } from "./client_error.ts";
import type { Dialect } from "./dialects/dialect.ts";

/** Bounds on an archive of one file that is read into memory. */
const LIMITS = { entries: 1_000_000, bytes: 2 ** 42 };

/** So many symbolic links are followed, one after another, as Linux does. */
const MOST_LINKS = 40;

/** How a file is written. */
export interface WriteFileOptions {
  /** Permissions; 0o644 by default. The owner is root. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/** An entry of a folder, or of what is below it. */
export interface FileEntry {
  /** Relative to the folder. */
  readonly path: string;
  readonly kind: "file" | "folder" | "symlink" | "hardlink" | "other";
  readonly size: number;
  readonly mode: number;
}

/**
 * The files of a container, which need not run.
 *
 * @example
 * ```ts
 * import type { Container } from "./mod.ts";
 * async function copyMessage({ files }: Container): Promise<string> {
 *   await files.write("/tmp/greeting", "hello\n");
 *   return await files.text("/tmp/greeting");
 * }
 * ```
 */
export class ContainerFiles {
  readonly #dialect: Dialect;
  readonly #id: string;

  constructor(dialect: Dialect, id: string) {
    this.#dialect = dialect;
    this.#id = id;
  }

  /**
   * Reads a file. A path that is a symbolic link is followed.
   *
   * @throws {ClientError} `not_found`; `invalid` where the path is no file
   */
  async read(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<Uint8Array> {
    const action = `Read "${path}"`;
    return await withErrors(action, async () => {
      for await (const entry of this.#entries(action, path, signal)) {
        if (entry.kind !== "file") break;
        return new Uint8Array(await new Response(entry.content()).arrayBuffer());
      }
      throw new ClientError("invalid", `${action}: it is no file`);
    });
  }

  /** Reads a file as UTF-8 text. */
  async text(path: string, options: { signal?: AbortSignal } = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }

  /**
   * Writes a file, in place of one there may be. Podman's tree makes folders that are not there; Docker's answers `not_found`.
   *
   * @throws {ClientError} where a folder has the path
   */
  async write(path: string, data: string | Uint8Array, { mode = 0o644, signal }: WriteFileOptions = {}): Promise<void> {
    const [, folder, name] = /^(\/(?:.*\/)?)([^/]+)$/.exec(path) ?? [];
    if (name === undefined) throw new TypeError(`Write "${path}": expected the absolute path of a file`);
    const content = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const files = async function* (): AsyncGenerator<TarFile> {
      yield { path: name, size: content.length, content, mode, mtime: Math.floor(Date.now() / 1000) };
    };
    await this.extract(folder, tarStream(files()), { signal });
  }

  /**
   * Lists a folder with all that is below it. A path that is a symbolic link is followed.
   *
   * @throws {ClientError} `not_found`; `invalid` where the path is no folder
   */
  async list(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<FileEntry[]> {
    const action = `List "${path}"`;
    return await withErrors(action, async () => {
      const found: FileEntry[] = [];
      let isFolder = false;
      for await (const { path: inside, kind, size, mode } of this.#entries(action, path, signal)) {
        // The first part is the folder's own name.
        const relative = inside.split("/").slice(1).join("/");
        if (relative !== "") found.push({ path: relative, kind, size, mode });
        isFolder ||= relative !== "" || kind === "folder";
      }
      if (!isFolder) throw new ClientError("invalid", `${action}: it is no folder`);
      return found;
    });
  }

  /** A file or folder as a tar archive, whose first entry is the file or folder itself. */
  async archive(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<ReadableStream<Uint8Array>> {
    return await withErrors(`Read "${path}"`, () => this.#dialect.readArchive(this.#id, path, { signal }));
  }

  /** Extracts a tar archive in a folder. */
  async extract(
    folder: string,
    tar: ReadableStream<Uint8Array>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<void> {
    await withErrors(`Write to "${folder}"`, () => this.#dialect.writeArchive(this.#id, folder, tar, { signal }));
  }

  /** The entries of a path's archive. Podman's archive of a symbolic link is that of what it names; Docker's holds the link. */
  async *#entries(action: string, path: string, signal?: AbortSignal): AsyncGenerator<TarEntry> {
    let place = path;
    for (let links = 0; links <= MOST_LINKS; links++) {
      let isItself = true;
      let link: string | undefined;
      for await (const entry of tarEntries(await this.archive(place, { signal }), LIMITS)) {
        if (isItself && entry.kind === "symlink") link = entry.link;
        else yield entry;
        isItself = false;
      }
      if (link === undefined) return;
      place = link.startsWith("/") ? link : place.replace(/[^/]*\/*$/, "") + link;
    }
    throw new ClientError("invalid", `${action}: more than ${MOST_LINKS} symbolic links lead on from it`);
  }
}
