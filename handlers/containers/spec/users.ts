import { userNamespace, type UserNamespaceChoice } from "../../../lib/engine/containers/request/user_namespace.ts";
import type { IDMapping } from "../../../lib/engine/records/id_maps.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import type { IDMap } from "../../wire/containers/spec_generator_parts.ts";
import { unsupported } from "./unsupported.ts";

/** The user namespace of a create request, and which IDs it has. */
export function requestedUsers(
  { userns, idmappings }: Pick<SpecGenerator, "userns" | "idmappings">,
): UserNamespaceChoice {
  const auto = idmappings?.AutoUserNsOpts;
  if (auto?.PasswdFile) throw unsupported("idmappings.AutoUserNsOpts.PasswdFile");
  if (auto?.GroupFile) throw unsupported("idmappings.AutoUserNsOpts.GroupFile");
  return userNamespace({
    mode: userns.nsmode ?? "",
    value: userns.value ?? "",
    maps: { uids: mappings(idmappings?.UIDMap), gids: mappings(idmappings?.GIDMap) },
    auto: auto && {
      size: auto.Size,
      usualSize: auto.InitialSize,
      uids: mappings(auto.AdditionalUIDMappings),
      gids: mappings(auto.AdditionalGIDMappings),
    },
  });
}

function mappings(list: readonly IDMap[] | null | undefined): IDMapping[] {
  return (list ?? []).map(({ container_id: container, host_id: host, size }) => ({ container, host, size }));
}
