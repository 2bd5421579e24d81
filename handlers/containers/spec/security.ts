import type { SecuritySpec } from "../../../lib/engine/records/spec_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { RequestError } from "../../request_error.ts";
import { nonEmptyList } from "./field_rules.ts";

/** Returns the profiles and labels that a create request asks for. */
export function securityFields(g: SpecGenerator): SecuritySpec {
  return {
    apparmor: g.apparmor_profile || undefined,
    selinux: nonEmptyList(g.selinux_opts),
    labelNested: g.label_nested || undefined,
    seccompPolicy: seccompPolicy(g),
  };
}

function seccompPolicy({ seccomp_policy: policy }: SpecGenerator): "image" | undefined {
  if (!policy || policy === "default") return undefined;
  if (policy === "image") return policy;
  throw new RequestError("invalid", `invalid seccomp policy "${policy}": valid policies are ["default" "image"]`);
}
