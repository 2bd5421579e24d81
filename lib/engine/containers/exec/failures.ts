import { EngineError } from "../../errors.ts";

/** The operation does not fit the session's state. `detail` comes before the colon. */
export function improperSession(detail: string): EngineError {
  const sentinel = "exec session state improper";
  return new EngineError("state", `${detail}: ${sentinel}`, { sentinel });
}
