import type { Credential } from "../../oci/registry/registry_sessions.ts";

/**
 * Gives the credential for a registry (`docker.io`, `localhost:5000`) and repository, if there is one. `isAsked`: the registry is the one
 * that the caller's request names, and not one of several that it may mean, nor a mirror. A credential that names no registry is for
 * that one only.
 */
export type CredentialSource = (
  registry: string,
  path: string,
  isAsked: boolean,
) => Credential | undefined | Promise<Credential | undefined>;
