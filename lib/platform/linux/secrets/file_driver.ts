import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import { fromBase64, toBase64 } from "../../../oci/bytes/base64.ts";
import { isObject } from "../../../oci/json.ts";
import { withFileLock } from "../helpers/file_lock.ts";
import { removeFile } from "../helpers/tree.ts";
import type { SecretDriver } from "./secret_vault.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Values by ID, in base64: the form of Podman's own file. */
type Values = Record<string, string>;

/** Keeps values in the file `secretsdata.json` of a folder, which nobody but its owner reads. `path` is the folder. */
export function fileDriver(options: Readonly<Record<string, string>>): SecretDriver {
  const { path: folder = "", ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalidOption(`invalid file driver option: "${other}"`);
  if (!isAbsolute(folder)) throw invalidOption(`need path for filedriver: "${folder}" is not absolute`);
  const file = join(folder, "secretsdata.json");
  const change = async (work: (values: Values) => Values | undefined) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await withFileLock(join(folder, "secretsdata.lock"), async () => {
      const changed = work(await readValues(file));
      if (changed === undefined) return false;
      await writeValues(file, changed);
      return true;
    });
  };
  return {
    store: async (id, value) => void await change((values) => ({ ...values, [id]: toBase64(value) })),
    lookUp: async (id) => {
      const values = await readValues(file);
      return Object.hasOwn(values, id) ? fromBase64(values[id]) : undefined;
    },
    remove: (id) =>
      change(({ [id]: value, ...others }) => {
        return value === undefined ? undefined : others;
      }),
  };
}

async function readValues(file: string): Promise<Values> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (hasSystemCode(error, "ENOENT")) return "{}";
    throw new EngineError("internal", `Read secrets "${file}": ${error.code}`);
  });
  try {
    const values: unknown = JSON.parse(text);
    if (!isObject(values)) throw new SyntaxError("it is no object");
    return Object.fromEntries(
      Object.entries(values).flatMap(([id, value]) => typeof value === "string" ? [[id, value]] : []),
    );
  } catch {
    // The parser's own words would quote the file.
    throw new EngineError("corrupt", `Read secrets "${file}": it is not JSON`);
  }
}

/** Replaces the file whole, so that a crash leaves the old one. */
async function writeValues(file: string, values: Values): Promise<void> {
  const draft = `${file}.new`;
  try {
    await removeFile(draft);
    await writeFile(draft, JSON.stringify(values, null, 2), { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    throw new EngineError("internal", `Write secrets "${file}": ${(error as NodeJS.ErrnoException).code}`);
  }
}

function invalidOption(text: string): EngineError {
  const sentinel = "invalid driver option";
  return new EngineError("invalid", `${text}: ${sentinel}`, { sentinel });
}
