import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";

/**
 * The ID of a container's place in a network, which Docker's clients take for the sign that there is one: 64 digits, made of the two
 * IDs. Empty while the container has no such place.
 *
 * @param name The engine's name of the network
 */
export function endpointID({ id, state }: ContainerRecord, name: string, networkID: string): string {
  if (state.network?.interfaces[name] === undefined) return "";
  const digitAt = (text: string, at: number) => Number.parseInt(text[at] ?? "0", 16);
  return Array.from(id, (_, at) => (digitAt(id, at) ^ digitAt(networkID, at)).toString(16)).join("");
}
