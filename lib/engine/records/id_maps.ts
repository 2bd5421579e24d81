/** A range of user or group IDs, as `/proc/PID/uid_map` has it. */
export interface IDMapping {
  container: number;
  host: number;
  size: number;
}

/** The IDs of a container with a user namespace of its own. */
export interface IDMaps {
  uids: IDMapping[];
  gids: IDMapping[];
}

/** The host's ID for one of the container; `undefined` where it is not mapped. */
export function hostID(mappings: readonly IDMapping[], id: number): number | undefined {
  const found = mappings.find(({ container, size }) => id >= container && id < container + size);
  return found && found.host + id - found.container;
}
