/** A probe of a container, and when it runs. Times are milliseconds. */
export interface HealthCheck {
  /** `["CMD", …]`, `["CMD-SHELL", text]`, `["GRPC", port, service]`, `["NONE"]`, or a command without a word before it. */
  test: string[];
  /** From the end of a probe to the next one; 0: only when asked for. */
  interval: number;
  /** How long a probe may take. */
  timeout: number;
  /** After the start, for which failures do not count. */
  startPeriod: number;
  /** In place of `interval` until it is first found healthy within the start period; 0: the same. */
  startInterval: number;
  /** How many failures in a row make a container unhealthy. */
  retries: number;
}

/** The check of a container that is still coming up: until it passes, the other one does not begin. */
export interface StartupCheck extends HealthCheck {
  /** How many successes pass it; 0 is one. */
  successes: number;
}

/** The action on a container that is found unhealthy. */
export type OnFailure = "none" | "kill" | "restart" | "stop";

/** The destination of outcomes besides the container's own record, and how many of them the record keeps. */
export interface HealthLogOptions {
  /** `local`; `events_logger`: with the event; or a folder of the host, for a file in it. */
  destination: string;
  /** How many outcomes are kept; 0: as many as there is room for. */
  count: number;
  /** Characters of each one's output; 0: as many as there is room for. */
  size: number;
}

/** A container's health checks, complete. */
export interface HealthPlan {
  check?: HealthCheck;
  startup?: StartupCheck;
  /** Runs after each `check` that passes; a failure makes the container unhealthy, and nothing is done about it. */
  readiness?: HealthCheck;
  onFailure: OnFailure;
  log: HealthLogOptions;
}

/** Health checks as asked for: of what is absent the rest is made up from the image and defaults. */
export interface HealthWish {
  check?: Partial<HealthCheck>;
  startup?: Partial<StartupCheck>;
  readiness?: Partial<HealthCheck>;
  onFailure?: OnFailure;
  log?: Partial<HealthLogOptions>;
}
