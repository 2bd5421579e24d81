/** The errors of networks, in Podman's words: clients match on them. */
import { EngineError } from "../errors.ts";

/** No network goes by this name, ID or prefix. */
export function noSuchNetwork(nameOrID: string): EngineError {
  const sentinel = "network not found";
  const text = `unable to find network with name or ID ${nameOrID}: ${sentinel}`;
  return new EngineError("no_such_network", text, { sentinel });
}

/** Several networks have this ID prefix. */
export function ambiguousNetwork(nameOrID: string): EngineError {
  return new EngineError("ambiguous", `more than one result for network ID ${nameOrID}`);
}

/** Another network has the name. */
export function networkExists(name: string): EngineError {
  const sentinel = "network already exists";
  return new EngineError("name_in_use", `network name ${name} already used: ${sentinel}`, { sentinel });
}

/** Containers are in the network. */
export function networkInUse(name: string): EngineError {
  const sentinel = "network is being used";
  const hint = "Use -f to forcibly delete containers and pods";
  return new EngineError("in_use", `"${name}" has associated containers with it. ${hint}: ${sentinel}`, { sentinel });
}
