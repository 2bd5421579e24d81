import type { BuildSandbox } from "../../lib/engine/build/build_options.ts";
import { namespaceMode } from "../../lib/engine/containers/request/namespace_mode.ts";
import { isObject } from "../../lib/oci/json.ts";
import { RequestError } from "../request_error.ts";

/** The namespaces that a build's commands may share, by the names that the runtime's specification has for them. */
const SHARED = ["pid", "ipc", "uts", "cgroup"] as const;

/**
 * Reads the namespaces of a build's commands: `[{"Name":"pid","Host":true,"Path":""}]`. Users are those of the engine, and the
 * network is what `networkmode` says.
 */
export function namespacesOf(text = ""): Pick<BuildSandbox, "namespaces"> {
  if (text.trim() === "") return {};
  const namespaces: BuildSandbox["namespaces"] = {};
  for (const option of readList(text)) {
    const { Name: name, Host: isHost, Path: path = "" } = option;
    if (name === "user" || (name === "network" && path === "") || (!isHost && path === "")) continue;
    const kind = SHARED.find((kind) => kind === name);
    if (kind === undefined || typeof path !== "string") {
      throw new RequestError("unsupported", `Build image: the namespace "${name}" of "nsoptions" is not supported`, {
        field: "nsoptions",
      });
    }
    namespaces[kind] = namespaceMode(kind, { mode: path === "" ? "host" : "path", value: path });
  }
  return Object.keys(namespaces).length > 0 ? { namespaces } : {};
}

function readList(text: string): Record<string, unknown>[] {
  try {
    const list: unknown = JSON.parse(text);
    if (list === null) return [];
    if (Array.isArray(list) && list.every(isObject)) return list;
  } catch {
    // Told below.
  }
  throw new RequestError("malformed", `failed to parse "nsoptions": not a JSON list of namespaces`);
}
