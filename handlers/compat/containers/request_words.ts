/** Docker's inspection shows a request as it came: Ansible and others compare the two, and make the container again where they differ. */
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import type { RequestWords } from "../../../lib/engine/records/spec_parts.ts";
import type { CreateContainerConfig } from "../../wire/compat/container_create.ts";
import type { HostConfig } from "../../wire/compat/host_config.ts";
import type { Sparse } from "../../wire/emit.ts";

/** The options of a profile, which may be long and is stored already. */
const PROFILE = /^seccomp[=:]/;

/**
 * Returns the words of a create request that the engine keeps in another form, each field where it has any.
 *
 * @param image The full name of its image
 */
export function requestWords(
  { Image, HostConfig: host }: CreateContainerConfig,
  image: string,
): RequestWords {
  const words: RequestWords = {
    image: image === Image ? undefined : Image,
    capAdd: host.CapAdd ?? [],
    capDrop: host.CapDrop ?? [],
    deviceRules: host.DeviceCgroupRules ?? [],
    binds: host.Binds ?? [],
    tmpfs: host.Tmpfs ?? {},
    mounts: host.Mounts ?? [],
    securityOptions: host.SecurityOpt?.filter((option) => !PROFILE.test(option)),
    userNamespace: host.UsernsMode,
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => Object.keys(value ?? {}).length > 0));
}

/**
 * Puts a request's words into the host configuration of a container that Docker's tree made; mounts have a function of their own,
 * {@linkcode requestedMounts}.
 *
 * @param host The host configuration in the engine's words
 */
export function inRequestWords({ spec }: ContainerRecord, host: Sparse<HostConfig>): Sparse<HostConfig> {
  const { requestWords: words } = spec;
  if (words === undefined) return host;
  return {
    ...host,
    CapAdd: words.capAdd ?? host.CapAdd,
    CapDrop: words.capDrop ?? host.CapDrop,
    DeviceCgroupRules: words.deviceRules ?? host.DeviceCgroupRules,
    SecurityOpt: words.securityOptions
      ? [...words.securityOptions, ...(host.SecurityOpt ?? []).filter((option) => PROFILE.test(option))]
      : host.SecurityOpt,
    UsernsMode: words.userNamespace ?? host.UsernsMode,
  };
}

/** The name of a container's image as Docker shows it: as it was asked for, where that means the same image. */
export function askedImage({ imageName, spec }: ContainerRecord): string {
  return spec.requestWords?.image ?? imageName;
}
