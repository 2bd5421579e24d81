import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { EngineError } from "../../engine/errors.ts";
import type { QuadletShelf, ShelfFile } from "../../engine/ports/quadlet_port.ts";
import { whereMissing } from "../../oci/system_error.ts";

/** Drop-ins of all quadlets together. */
const MOST_DROP_INS = 1000;

/** The quadlets in a folder of this machine. */
export function quadletShelf(folder: string): QuadletShelf {
  return {
    folder,
    list: () => listFiles(folder),
    read: (name, limit) => readShelfFile(folder, name, limit),
    async dropIns(limit) {
      const entries = await readdir(folder, { withFileTypes: true }).catch((error) => whereMissing(error) ?? []);
      const folders = entries.filter((entry) => !entry.isFile() && entry.name.endsWith(".d")).map(({ name }) => name);
      const names: string[] = [];
      for (const name of folders.sort()) {
        const files = await listFiles(join(folder, name));
        names.push(...files.filter((file) => file.endsWith(".conf")).map((file) => `${name}/${file}`));
      }
      if (names.length > MOST_DROP_INS) {
        throw new EngineError("limit", `Read the drop-ins of ${folder}: there are more than ${MOST_DROP_INS}`);
      }
      const found: ShelfFile[] = [];
      for (const name of names) {
        const content = await readShelfFile(folder, name, limit);
        if (content !== undefined) found.push({ name, content });
      }
      return found;
    },
    write: (files) => writeFiles(folder, files),
    async remove(names) {
      for (const name of names) await rm(join(folder, name), { force: true });
    },
  };
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => whereMissing(error) ?? []);
  return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name).sort();
}

async function readShelfFile(
  folder: string,
  name: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const file = await open(join(folder, name)).catch(whereMissing);
  if (file === undefined) return undefined;
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return undefined;
    if (facts.size > limit) throw new EngineError("limit", `Read ${name}: larger than ${limit} bytes`);
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

/** Every file is written whole beside its place before the first one gets its name: an error leaves the folder as it was. */
async function writeFiles(folder: string, files: readonly ShelfFile[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const drafts = files.map(({ name, content }) => ({ name, content, draft: join(folder, `.${randomUUID()}.draft`) }));
  const olds: { name: string; aside: string }[] = [];
  const done: string[] = [];
  try {
    for (const { draft, content } of drafts) await writeFile(draft, content, { mode: 0o644, flag: "wx" });
    for (const { name, draft } of drafts) {
      const aside = join(folder, `.${randomUUID()}.draft`);
      const isThere = await rename(join(folder, name), aside).then(() => true, (error) => whereMissing(error) ?? false);
      if (isThere) olds.push({ name, aside });
      await rename(draft, join(folder, name));
      done.push(name);
    }
  } catch (error) {
    for (const name of done) await rm(join(folder, name), { force: true });
    for (const { name, aside } of olds) await rename(aside, join(folder, name));
    throw error;
  } finally {
    for (const { draft } of drafts) await rm(draft, { force: true });
  }
  for (const { aside } of olds) await rm(aside, { force: true });
}
