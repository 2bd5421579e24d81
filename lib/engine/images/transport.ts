import { EngineError } from "../errors.ts";

/** Transports that Podman knows besides `docker`; through an API they name another machine's files and stores. */
const OTHERS = /^(containers-storage|dir|docker-archive|docker-daemon|oci|oci-archive|ostree|sif|tarball|atomic):/;

/**
 * Returns the name of a text in a registry: the text without `docker://`. Throws `EngineError("invalid")` for any other
 * transport, which has no meaning in a remote context.
 */
export function registryReference(text: string): string {
  const [, transport] = OTHERS.exec(text) ?? [];
  if (transport === undefined) return text.replace(/^docker:\/\//, "");
  throw new EngineError(
    "invalid",
    `unsupported transport ${transport} in "${text}": only docker transport is supported`,
  );
}
