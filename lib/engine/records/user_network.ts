import type { NamespaceMode } from "./container_record.ts";

/** The programs that carry a container's packets as connections of their own: no bridge is involved, nor a firewall. */
export type UserNetworkProgram = "pasta" | "slirp4netns";

/** A container's network that such a program carries. */
export interface UserNetwork {
  program: UserNetworkProgram;
  /** As the program's users write them; checked. */
  options: string[];
}

/** Returns the network of a mode that names such a program; undefined for another mode. */
export function userNetworkOf({ mode, options = [] }: NamespaceMode): UserNetwork | undefined {
  return isUserNetwork(mode) ? { program: mode, options } : undefined;
}

/** Whether a mode names a program that carries the network. */
export function isUserNetwork(mode: string): mode is UserNetworkProgram {
  return mode === "pasta" || mode === "slirp4netns";
}
