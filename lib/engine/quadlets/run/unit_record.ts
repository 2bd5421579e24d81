/** The state of a unit that the engine runs itself, as stored. */
export interface UnitRecord {
  /** `web.service`. */
  unit: string;
  status: "inactive" | "activating" | "active" | "deactivating" | "failed";
  /** Milliseconds since the epoch. */
  since: number;
  /** The container with whose end the unit ends: its own, the infra container of a pod, the service container of a play. */
  containerID?: string;
  /** How often it was started again by itself since a user started it. */
  restarts: number;
  /** It waits for its next start by itself. */
  isWaiting?: boolean;
  /** Why it failed. */
  reason?: string;
  /** The boot of the host in which this was so; empty where the host has none. */
  boot: string;
}

/** Returns a unit's state in systemd's words: `active/running`, `failed/failed`. */
export function describeState({ status, isWaiting, containerID }: Readonly<UnitRecord>): string {
  switch (status) {
    case "active":
      return containerID === undefined ? "active/exited" : "active/running";
    case "activating":
      return isWaiting ? "activating/auto-restart" : "activating/start";
    case "deactivating":
      return "deactivating/stop";
    case "failed":
      return "failed/failed";
    default:
      return "inactive/dead";
  }
}
