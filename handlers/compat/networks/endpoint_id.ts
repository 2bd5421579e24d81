import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";

/** Hexadecimal digits of an ID. */
const DIGITS = 64;

/**
 * The ID of a container's place in a network, which Docker's clients take for the sign that there is one: 64 digits, made of the two
 * IDs. Empty while the container has no such place.
 *
 * @param name The engine's name of the network
 */
export function endpointID({ id, state }: ContainerRecord, name: string, networkID: string): string {
  if (state.network?.interfaces[name] === undefined) return "";
  const number = (digits: string) => BigInt(`0x${digits.padEnd(DIGITS, "0")}`);
  return (number(id) ^ number(networkID)).toString(16).padStart(DIGITS, "0");
}
