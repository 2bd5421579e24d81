import { readFile, stat, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import { runSecretly } from "./run_secretly.ts";
import type { SecretDriver } from "./secret_vault.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

const OPTIONS = new Set(["root", "key", "gpghomedir"]);

/**
 * Keeps values as files that gpg(1) encrypts, in the form of pass(1): `root` is the folder, by default that of pass or gopass,
 * `key` the key, by default what a `.gpg-id` in the folder or above it says, and `gpghomedir` the folder of the keys.
 */
export async function passDriver(options: Readonly<Record<string, string>>): Promise<SecretDriver> {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) throw invalidOption(`invalid pass driver option: "${unknown}"`);
  const root = options.root === undefined ? await findRoot() : resolve(options.root);
  if (root === undefined) throw invalidOption('pass driver: no store is found, and no "root" is given');
  const key = options.key ?? await findKey(root);
  const home = options.gpghomedir === undefined ? [] : ["--homedir", options.gpghomedir];
  const place = (id: string) => join(root, `${id}.gpg`);
  const gpg = (args: readonly string[], input?: Uint8Array) => {
    return runSecretly("gpg", [...home, "--batch", "--quiet", ...args], { input });
  };
  return {
    async store(id, value) {
      if (key === undefined) throw invalidOption('pass driver: no key is found, and no "key" is given');
      const { code } = await gpg(["--encrypt", "--recipient", key, "--output", place(id)], value);
      if (code !== 0) throw new EngineError("internal", `gpg: exit status ${code}`);
    },
    async lookUp(id) {
      const { code, output } = await gpg(["--decrypt", place(id)]);
      return code === 0 && output.length > 0 ? output : undefined;
    },
    remove: (id) =>
      unlink(place(id)).then(() => true, (error: NodeJS.ErrnoException) => {
        if (hasSystemCode(error, "ENOENT")) return false;
        throw new EngineError("internal", `Delete secret: ${error.code}`);
      }),
  };
}

async function findRoot(): Promise<string | undefined> {
  for (const place of [".password-store", ".local/share/gopass/stores/root"]) {
    const path = join(homedir(), place);
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return path;
  }
}

async function findKey(root: string): Promise<string | undefined> {
  for (let folder = root; folder.length > 1; folder = dirname(folder)) {
    const text = await readFile(join(folder, ".gpg-id"), "utf8").catch(() => undefined);
    if (text !== undefined) return text.trim();
  }
}

function invalidOption(text: string): EngineError {
  return new EngineError("invalid", text, { sentinel: "invalid driver option" });
}
