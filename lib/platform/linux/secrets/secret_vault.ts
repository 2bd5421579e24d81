/**
 * The drivers of secrets, as Podman has them.
 *
 * Source: `pkg/secrets` of the containers/common library.
 *
 * @module
 */
import { EngineError } from "../../../engine/errors.ts";
import type { SecretPlace, SecretVault } from "../../../engine/ports/secret_port.ts";
import { fileDriver } from "./file_driver.ts";
import { passDriver } from "./pass_driver.ts";
import { shellDriver } from "./shell_driver.ts";

/** One driver with its options. */
export interface SecretDriver {
  store(id: string, value: Uint8Array): Promise<void>;
  lookUp(id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  remove(id: string): Promise<boolean>;
}

type Options = Readonly<Record<string, string>>;

const DRIVERS: Readonly<Record<string, (options: Options) => SecretDriver | Promise<SecretDriver>>> = {
  file: fileDriver,
  pass: passDriver,
  shell: shellDriver,
};

/** The drivers of this host. */
export function hostSecrets(): SecretVault {
  return {
    check: async (driver, options) => void await openDriver({ driver, options }),
    store: async (place, value) => await (await openDriver(place)).store(place.id, value),
    lookUp: async (place) => await (await openDriver(place)).lookUp(place.id),
    remove: async (place) => await (await openDriver(place)).remove(place.id),
  };
}

async function openDriver({ driver, options }: Omit<SecretPlace, "id">): Promise<SecretDriver> {
  // Object.hasOwn: the name is a client's.
  if (Object.hasOwn(DRIVERS, driver)) return await DRIVERS[driver](options);
  throw new EngineError("invalid", `secret driver "${driver}": invalid driver`, { sentinel: "invalid driver" });
}
