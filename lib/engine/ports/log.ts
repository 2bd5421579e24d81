/** How important a line of the engine's log is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** The sink of the engine's own log. */
export type Log = (level: LogLevel, message: string) => void;
