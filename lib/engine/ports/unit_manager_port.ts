/** The manager of services that runs the host: systemd. */
export interface UnitManager {
  /** Has it read all units anew, those of quadlets among them. */
  reload(): Promise<void>;
  /** Starts a unit, and resolves when it is ready. Throws `state` with what the manager says of a failure. */
  start(unit: string): Promise<void>;
  /** Stops a unit, and resolves when it has. */
  stop(unit: string): Promise<void>;
  /** Stops a unit if it runs, and starts it. Throws `state` as the start does. */
  restart(unit: string): Promise<void>;
  /** The states of units as `active/running`; of one that it does not know `Not loaded`. */
  states(units: readonly string[]): Promise<Map<string, string>>;
}
