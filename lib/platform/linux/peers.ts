import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { EngineError } from "../../engine/errors.ts";
import type { Peers } from "../../engine/ports/peers_port.ts";
import { connect } from "../http/client/connect.ts";
import { hasSystemCode } from "../../oci/system_error.ts";

/** Where `podman system connection add` keeps its list, for the user that this process runs as. */
const CONNECTIONS = `${homedir()}/.config/containers/podman-connections.json`;

/** {@linkcode Peers} of this machine: those that `podman system connection` knows, and addresses. */
export function hostPeers(file = CONNECTIONS): Peers {
  return {
    async connect(name) {
      const uri = /^(?:unix|tcp):\/\//.test(name) ? name : (await readConnections(file)).get(name);
      if (uri === undefined) throw new EngineError("invalid", `connection "${name.slice(0, 200)}" is not known`);
      const kind = uri.slice(0, Math.max(0, uri.indexOf("://")));
      if (kind === "unix" || kind === "tcp") return connect(uri);
      throw new EngineError(
        "unsupported",
        `connection "${name}": ${kind || "its kind"} is not supported: only unix and tcp are`,
      );
    },
  };
}

async function readConnections(file: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (hasSystemCode(error, "ENOENT")) return new Map();
    throw error;
  }
  try {
    const connections: unknown = JSON.parse(text)?.Connection?.Connections;
    if (typeof connections !== "object" || connections === null) return new Map();
    return new Map(Object.entries(connections).map(([name, value]) => [name, String(value?.URI ?? "")]));
  } catch (cause) {
    throw new EngineError("internal", `Read connections of "${file}": not JSON`, { cause });
  }
}
