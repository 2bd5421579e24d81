import { type TarFile, tarStream } from "../oci/tar/tar_entries.ts";

/**
 * The files of a build: a folder's path where the platform has files, the files themselves by path (`{ Dockerfile: "FROM alpine" }`), or a
 * tar archive, plain or compressed.
 */
export type BuildContext = string | Readonly<Record<string, string | Uint8Array>> | ReadableStream<Uint8Array>;

/** Reads a folder as a tar archive. */
export type ReadFolder = (path: string) => ReadableStream<Uint8Array>;

/**
 * A build's files as a tar archive.
 *
 * @throws {TypeError} for a path where there are no files
 */
export function contextTar(context: BuildContext, readFolder: ReadFolder | undefined): ReadableStream<Uint8Array> {
  if (context instanceof ReadableStream) return context;
  if (typeof context !== "string") return tarStream(filesOf(context));
  if (readFolder !== undefined) return readFolder(context);
  throw new TypeError(`Build "${context}": this platform has no folders; give the files themselves, or a tar archive`);
}

async function* filesOf(files: Readonly<Record<string, string | Uint8Array>>): AsyncGenerator<TarFile> {
  for (const [path, data] of Object.entries(files)) {
    const content = typeof data === "string" ? new TextEncoder().encode(data) : data;
    yield { path, size: content.length, content, mode: 0o644 };
  }
}
