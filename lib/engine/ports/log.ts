/** How important a line of the engine's log is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where the engine's own log goes. */
export type Log = (level: LogLevel, message: string) => void;
