import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "../../engine/errors.ts";
import type { LocalFile, LocalFiles } from "../../engine/ports/local_files_port.ts";
import { fileStream } from "../storage/file_stream.ts";
import { folderArchive } from "./trees/folder_archive.ts";
import { pathRefusal } from "./helpers/path_refusal.ts";
import { openInside } from "./helpers/safe_path.ts";
import { hasSystemCode } from "../../oci/system_error.ts";

/** Folders of files that the kernel makes up: reading them may block, act, or never end. */
const KERNEL = ["/proc", "/sys", "/dev"];

/**
 * {@linkcode LocalFiles} of this machine, but for the kernel's folders and those of the engine, which `own` names.
 *
 * @param open A folder in one of these that may be read all the same: that of quadlets, whose files callers have brought
 */
export function localFiles(own: readonly string[], open?: string): LocalFiles {
  return {
    async find(path) {
      if (!path.startsWith("/") || path.includes("\0")) {
        const sentinel = "path is not absolute";
        throw new EngineError("invalid", `${sentinel}: "${path.slice(0, 200)}"`, { sentinel });
      }
      const clean = resolve(path);
      const real = await realpath(clean).catch((error) => {
        throw hasSystemCode(error, "ENOENT", "ENOTDIR") ? noSuchFile(clean) : pathRefusal(`open ${clean}`, error);
      });
      const closed = [...KERNEL, ...await Promise.all(own.map((folder) => realpath(folder).catch(() => folder)))];
      const isOpen = open !== undefined && isWithin(real, await realpath(open).catch(() => open));
      if (!isOpen && closed.some((folder) => isWithin(real, folder))) {
        throw new EngineError("forbidden", `"${clean}" may not be read`);
      }
      const handle = await openFile(real);
      await handle.close();
      if (handle.kind === "file") return fileOf(real, handle.size);
      return {
        kind: "folder",
        async file(path) {
          const found = await openInside(real, path);
          if (!found) return undefined;
          try {
            const facts = await found.stat();
            if (!facts.isFile()) return undefined;
            return fileOf(`${real}/${path}`, facts.size, () => openInside(real, path));
          } finally {
            await found.close();
          }
        },
        archive() {
          const inside = closed.find((folder) => real === "/" || folder.startsWith(`${real}/`));
          if (inside !== undefined) {
            throw new EngineError("forbidden", `"${clean}" may not be read: "${inside}" is in it`);
          }
          return folderArchive(real);
        },
      };
    },
  };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function fileOf(path: string, size: number, look?: () => Promise<FileHandle | undefined>): LocalFile {
  return {
    kind: "file",
    size,
    async open() {
      const seen = await look?.();
      try {
        const file = await openFile(seen ? `/proc/self/fd/${seen.fd}` : path);
        if (file.kind === "file") return fileStream(file.handle);
        await file.close();
        throw new EngineError("forbidden", `"${path}" is no file any more`);
      } finally {
        await seen?.close();
      }
    },
  };
}

/** Opens what is a file or folder; anything else is closed again and refused. */
async function openFile(path: string) {
  // Opening a pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error) => {
    throw hasSystemCode(error, "ENOENT", "ENOTDIR") ? noSuchFile(path) : pathRefusal(`open ${path}`, error);
  });
  const facts = await handle.stat();
  if (!facts.isFile() && !facts.isDirectory()) {
    await handle.close();
    throw new EngineError("forbidden", `"${path}" is neither a file nor a folder`);
  }
  const kind: "file" | "folder" = facts.isFile() ? "file" : "folder";
  return { kind, size: facts.size, handle, close: () => handle.close() };
}

function noSuchFile(path: string): EngineError {
  return new EngineError("no_such_file", `file does not exist: "${path}"`);
}
