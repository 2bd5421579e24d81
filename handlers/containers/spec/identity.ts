import type { IdentitySpec } from "../../../lib/engine/records/spec_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { absolute, nonEmptyList } from "./field_rules.ts";

/** Returns the accounts, hosts and names that a create request has its container know. */
export function identityFields(g: SpecGenerator): IdentitySpec {
  return {
    passwdEntry: g.passwd_entry || undefined,
    groupEntry: g.group_entry || undefined,
    hostUsers: nonEmptyList(g.hostusers),
    baseHosts: baseHosts(g),
    noHostname: g.use_image_hostname || undefined,
    chrootFolders: nonEmptyList(g.chroot_directories?.map((path) => absolute("chroot_directories", path))),
  };
}

function baseHosts({ base_hosts_file: file }: SpecGenerator): string | undefined {
  if (!file) return undefined;
  return file === "none" || file === "image" ? file : absolute("base_hosts_file", file);
}
