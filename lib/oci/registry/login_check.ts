/**
 * Whether a registry takes a credential.
 *
 * @module
 */
import { RegistryError } from "./registry_error.ts";
import type { RegistryNet } from "./registry_http.ts";
import { refuseErrors } from "./registry_http.ts";
import type { Reference } from "../reference.ts";
import { isListedInsecure } from "./registries_conf.ts";
import { type RegistryClientOptions, RegistrySessions } from "./registry_sessions.ts";
import { discardBody } from "./body.ts";

/**
 * Asks a registry's root with the credential of the options. Resolves where it is taken, or none is asked for.
 *
 * Throws `RegistryError`, with status 401 for a credential that is not taken.
 */
export async function checkLogin(
  net: RegistryNet,
  host: string,
  options: RegistryClientOptions,
  signal?: AbortSignal,
): Promise<void> {
  const sessions = new RegistrySessions(net, options);
  const reference: Reference = { domain: host, path: "" };
  const insecure = isListedInsecure(options.conf, reference);
  const session = await sessions.open({ reference, insecure, own: true }, "pull");
  const response = await session.send({ path: "/v2/", signal });
  if (response.status === 401) {
    await discardBody(response);
    throw new RegistryError("UNAUTHORIZED", "401 Unauthorized", { status: 401 });
  }
  await discardBody(await refuseErrors(response, `logging in to ${host}`, [200]));
}
