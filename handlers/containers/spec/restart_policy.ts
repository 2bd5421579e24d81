import type { RestartPolicy } from "../../../lib/engine/records/container_record.ts";
import { RequestError } from "../../request_error.ts";

/** The names of restart policies. */
export const POLICIES = ["no", "always", "on-failure", "unless-stopped"] as const;

/** A restart policy by its name; `undefined` for none. Throws `invalid`, in Podman's words. */
export function restartPolicy(name: string | undefined, retries?: number | null): RestartPolicy | undefined {
  if (!name) return undefined;
  const known = POLICIES.find((policy) => policy === name);
  if (known === undefined) {
    const sentinel = "invalid argument";
    throw new RequestError("invalid", `"${name}" is not a valid restart policy: ${sentinel}`, { sentinel });
  }
  return { name: known, ...known === "on-failure" && retries && { retries } };
}
