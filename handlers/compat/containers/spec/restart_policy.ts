import type { RestartPolicy } from "../../../../lib/engine/records/container_record.ts";
import { POLICIES, restartPolicy } from "../../../containers/spec/restart_policy.ts";
import { RequestError } from "../../../request_error.ts";
import type { HostConfig } from "../../../wire/compat/host_config.ts";

/**
 * A restart policy of Docker's API (`HostConfig.RestartPolicy`); `undefined` for none. Throws a 400, in Docker's words, for one there
 * is not, and for a count of tries that does not fit it.
 */
export function dockerRestartPolicy(
  { Name, MaximumRetryCount }: HostConfig["RestartPolicy"],
): RestartPolicy | undefined {
  // Clients of before Docker 25 send any count without a name.
  if (!Name) return undefined;
  const refuse = (why: string) => new RequestError("malformed", `invalid restart policy: ${why}`);
  if (!POLICIES.some((policy) => policy === Name)) {
    const known = POLICIES.map((policy) => `'${policy}'`);
    throw refuse(`unknown policy '${Name}'; use one of ${known.slice(0, -1).join(", ")}, or ${known.at(-1)}`);
  }
  if (MaximumRetryCount < 0) throw refuse("maximum retry count cannot be negative");
  if (MaximumRetryCount > 0 && Name !== "on-failure") {
    throw refuse("maximum retry count can only be used with 'on-failure'");
  }
  return restartPolicy(Name, MaximumRetryCount);
}
