/**
 * A host's settings of registries besides `registries.conf`: credentials in auth.json(5), and certificates in certs.d
 * (containers-certs.d(5)). Files are read when a registry is asked, so that changes need no restart.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../engine/errors.ts";
import type { TLSOptions } from "../engine/ports/ports.ts";
import { findCredential, parseAuthFile } from "../oci/registry/auth_file.ts";
import { messageOf } from "../oci/message_of.ts";
import type { CredentialSource } from "../engine/ports/credential_source.ts";
import type { Log } from "../engine/ports/log.ts";
import { hasSystemCode } from "../oci/system_error.ts";

/** The default folders of certificates; the first folder that has the registry counts. */
export const CERTIFICATE_FOLDERS = [
  join(homedir(), ".config/containers/certs.d"),
  "/etc/containers/certs.d",
  "/etc/docker/certs.d",
];

/** The files in which Podman and Docker keep credentials, in the order they are asked. */
export function authFiles(env: Readonly<Record<string, string | undefined>>, uid: number): string[] {
  if (env.REGISTRY_AUTH_FILE) return [env.REGISTRY_AUTH_FILE];
  const runtime = env.XDG_RUNTIME_DIR || (uid === 0 ? "/run" : `/run/user/${uid}`);
  const config = env.XDG_CONFIG_HOME || join(homedir(), ".config");
  return [
    join(runtime, "containers/auth.json"),
    ...(uid === 0 ? ["/run/containers/0/auth.json"] : []),
    join(config, "containers/auth.json"),
    join(env.DOCKER_CONFIG || join(homedir(), ".docker"), "config.json"),
  ];
}

/**
 * Credentials of the first of these files that has one for a registry. Files that are not there have none; programs that files name
 * are not run, which the log tells once.
 *
 * Throws `EngineError("invalid")` for a file that does not parse.
 */
export function fileCredentials(files: readonly string[], log: Log): CredentialSource {
  const told = new Set<string>();
  return async (registry, path) => {
    for (const file of files) {
      const bytes = await readFile(file).catch(() => undefined);
      if (bytes === undefined) continue;
      const { credentials, helpers } = parseCredentials(file, bytes);
      const credential = findCredential(credentials, registry, path);
      if (credential !== undefined) return credential;
      const helper = helpers.get(registry) ?? helpers.get("");
      if (helper === undefined || told.has(`${file} ${helper}`)) continue;
      told.add(`${file} ${helper}`);
      log("warn", `${file} leaves credentials of ${registry} to "${helper}": credential helpers are not run`);
    }
  };
}

/**
 * Reads a file of credentials that a user has named, so that a wrong one is told of before the first pull. One that is not there is told to the
 * log: a login may make it later.
 *
 * Throws `EngineError("invalid")` for a file that cannot be read, or does not parse.
 */
export async function checkAuthFile(file: string, log: Log): Promise<void> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (hasSystemCode(error, "ENOENT")) return undefined;
    const why = hasSystemCode(error, "EISDIR") ? "it is a folder" : messageOf(error);
    throw new EngineError("invalid", `Read auth file "${file}": ${why}`, { cause: error });
  });
  if (bytes === undefined) log("warn", `${file}: there is no such file of credentials yet`);
  else parseCredentials(file, bytes);
}

/**
 * Certificates of a registry: the `*.crt` of its folder are trusted, a `*.cert` and the `*.key` of the same name are shown.
 *
 * Throws `EngineError("invalid")` for a certificate without key, or a key without certificate.
 */
export function folderTLS(folders: readonly string[]): (registry: string) => Promise<TLSOptions | undefined> {
  return async (registry) => {
    // References have Docker Hub's name, addresses its host.
    const names = registry === "registry-1.docker.io" ? ["docker.io", registry] : [registry];
    // It becomes part of a path.
    if (registry.includes("/") || registry.startsWith(".")) return undefined;
    for (const name of names) {
      for (const folder of folders) {
        const found = await readdir(join(folder, name)).catch(() => undefined);
        if (found !== undefined) return await readCertificates(join(folder, name), found.sort());
      }
    }
  };
}

async function readCertificates(folder: string, names: readonly string[]): Promise<TLSOptions | undefined> {
  const authorities = names.filter((name) => name.endsWith(".crt"));
  const ca = (await Promise.all(authorities.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
  const shown = names.filter((name) => name.endsWith(".cert")).map((name) => name.slice(0, -".cert".length));
  const keys = names.filter((name) => name.endsWith(".key")).map((name) => name.slice(0, -".key".length));
  const odd = [...shown.filter((name) => !keys.includes(name)), ...keys.filter((name) => !shown.includes(name))];
  if (odd.length > 0) {
    throw new EngineError("invalid", `Read certificates in "${folder}": "${odd[0]}" needs both .cert and .key`);
  }
  const [first] = shown;
  const own = first === undefined ? {} : {
    cert: await readFile(join(folder, `${first}.cert`), "utf8"),
    key: await readFile(join(folder, `${first}.key`), "utf8"),
  };
  const options = { ...(ca === "" ? {} : { ca }), ...own };
  return Object.keys(options).length === 0 ? undefined : options;
}

function parseCredentials(file: string, bytes: Uint8Array): ReturnType<typeof parseAuthFile> {
  try {
    return parseAuthFile(bytes);
  } catch (error) {
    const why = messageOf(error);
    throw new EngineError("invalid", `Read auth file "${file}": ${why}`, { cause: error });
  }
}
