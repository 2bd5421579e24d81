import type { ContainerRequest } from "./container_request.ts";

/** The security options of a request, which go by one word each. */
export interface SecurityOptions extends Pick<ContainerRequest, "noNewPrivileges" | "seccomp" | "apparmor"> {
  masks: string[];
  unmasks: string[];
  labels: string[];
}

/** Reads options as the command line has them: `apparmor=…`, `label=…`, `no-new-privileges`. Throws `SyntaxError` for an unknown one. */
export function parseSecurityOptions(options: readonly string[]): SecurityOptions {
  const found: SecurityOptions = { masks: [], unmasks: [], labels: [] };
  for (const option of options) applyOption(option, found);
  return found;
}

function applyOption(option: string, found: SecurityOptions): void {
  const [key, value = ""] = option.split(/[=:](.*)/s);
  if (key === "no-new-privileges") found.noNewPrivileges = value !== "false";
  // Docker's client sends the profile itself; its daemon's own is "builtin".
  else if (key === "seccomp") found.seccomp = value === "builtin" ? "default" : value || undefined;
  else if (key === "apparmor") found.apparmor = value || undefined;
  else if (key === "label") found.labels.push(value);
  else if (key === "mask") found.masks.push(value);
  else if (key === "unmask") found.unmasks.push(value);
  else if (key === "systempaths" && value === "unconfined") found.unmasks.push("ALL");
  else throw new SyntaxError(`invalid --security-opt: "${option}"`);
}
