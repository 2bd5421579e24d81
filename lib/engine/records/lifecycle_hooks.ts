/** A hook of a container: a command that is run in it, or a pause. */
export type LifecycleHook = { kind: "command"; command: string[] } | { kind: "sleep"; seconds: number };

/** The hooks of a container, as in Kubernetes' `lifecycle`. */
export interface LifecycleHooks {
  /** Run behind each start; a container whose hook fails is killed, and then its restart policy holds. */
  postStart?: LifecycleHook;
  /** Run before the signal of each stop, within the time that the stop has; a failure changes nothing. */
  preStop?: LifecycleHook;
}
