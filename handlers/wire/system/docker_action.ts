/** Docker's words for what happened, where Podman has others. */
interface DockerWord {
  /** The engine's word, which is Podman's. */
  readonly action: string;
  readonly docker: string;
  /** The kinds of objects of which Docker says it; all of them where absent. */
  readonly types?: readonly string[];
}

const WORDS: readonly DockerWord[] = [
  { action: "died", docker: "die" },
  { action: "exec_died", docker: "exec_die" },
  { action: "exec", docker: "exec_start", types: ["container"] },
  { action: "loadfromarchive", docker: "load", types: ["image"] },
  { action: "remove", docker: "destroy", types: ["container", "network", "volume"] },
  { action: "remove", docker: "delete", types: ["image"] },
];

/** The name that Docker has for an event: its action, which tells the outcome of a health check, too. */
export function dockerAction({ type, action, health }: { type: string; action: string; health?: string }): string {
  if (action === "health_status" && health !== undefined) return `${action}: ${health}`;
  return WORDS.find((word) => word.action === action && (word.types?.includes(type) ?? true))?.docker ?? action;
}
