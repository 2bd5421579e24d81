import { EngineError } from "../../../engine/errors.ts";
import { runSecretly } from "./run_secretly.ts";
import type { SecretDriver } from "./secret_vault.ts";

const COMMANDS = ["delete", "list", "lookup", "store"];

/**
 * Leaves values to commands of the host's shell: `store` gets the value on its standard input, `lookup` writes it, `delete`
 * deletes it, each with the ID in the variable `SECRET_ID`. `list` must be given, too, and is not run.
 */
export function shellDriver(options: Readonly<Record<string, string>>): SecretDriver {
  const unknown = Object.keys(options).find((name) => !COMMANDS.includes(name));
  if (unknown !== undefined) throw new EngineError("invalid", `invalid shell driver option: "${unknown}"`);
  if (COMMANDS.some((name) => !options[name])) {
    throw new EngineError("invalid", `shell driver: missing config value: it needs ${COMMANDS.join(", ")}`, {
      sentinel: "missing config value",
    });
  }
  const shell = (command: string, id: string, input?: Uint8Array) => {
    return runSecretly("/bin/sh", ["-c", command], { input, env: { SECRET_ID: id } });
  };
  return {
    async store(id, value) {
      const { code } = await shell(options.store, id, value);
      if (code !== 0) throw new EngineError("internal", `exit status ${code}`);
    },
    async lookUp(id) {
      const { code, output } = await shell(options.lookup, id);
      return code === 0 ? output : undefined;
    },
    remove: async (id) => (await shell(options.delete, id)).code === 0,
  };
}
