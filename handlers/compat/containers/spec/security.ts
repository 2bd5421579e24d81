import type { ContainerRequest } from "../../../../lib/engine/containers/request/container_request.ts";
import type { SecuritySpec } from "../../../../lib/engine/records/spec_parts.ts";
import { splitPaths } from "../../../containers/spec/split_paths.ts";
import type { HostConfig } from "../../../wire/compat/host_config.ts";
import { RequestError } from "../../../request_error.ts";
import type { SecurityOptions } from "../../../../lib/engine/containers/request/parse_security.ts";
import { readSecurityOptions } from "../../../containers/spec/security_options.ts";

/** The security settings of Docker's create request. Throws `invalid` for paths that are relative, and a 400 for unknown options. */
export function dockerSecurity(host: HostConfig): ContainerRequest {
  const { labels, masks, unmasks, ...found } = securityOptions(host);
  return {
    ...found,
    ...hidingPaths(host),
    defaults: "docker",
    privileged: host.Privileged,
    capAdd: host.CapAdd ?? [],
    capDrop: host.CapDrop ?? [],
    groups: host.GroupAdd ?? [],
    readOnly: host.ReadonlyRootfs,
    // Docker has no writable /tmp on a read-only root, but Podman's service gives it one.
    readWriteTmpfs: true,
    masks: splitPaths(masks),
    unmasks: splitPaths(unmasks),
    selinux: labels.length > 0 ? labels : undefined,
  };
}

/** Docker's own lists of what is hidden, which the native tree cannot say. Throws `invalid` for paths that are relative. */
function hidingPaths({ MaskedPaths, ReadonlyPaths }: HostConfig): Pick<SecuritySpec, "maskedPaths" | "readOnlyPaths"> {
  for (const [field, paths] of Object.entries({ MaskedPaths, ReadonlyPaths })) {
    const relative = paths?.find((path) => !path.startsWith("/"));
    if (relative !== undefined) {
      throw new RequestError("invalid", `"HostConfig.${field}" "${relative}" is not an absolute path`);
    }
  }
  return { ...MaskedPaths && { maskedPaths: MaskedPaths }, ...ReadonlyPaths && { readOnlyPaths: ReadonlyPaths } };
}

function securityOptions(host: HostConfig): SecurityOptions {
  const found = readSecurityOptions(host.SecurityOpt ?? []);
  // An empty list, not an absent one, shows the kernel's paths.
  if (host.MaskedPaths?.length === 0 && host.ReadonlyPaths?.length === 0) found.unmasks.push("ALL");
  return found;
}
