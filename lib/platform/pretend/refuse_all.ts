import { EngineError } from "../../engine/errors.ts";

/** A port of which every function fails: an engine that pretends has none of it. */
export function refuseAll<T extends object>(subject: string): T {
  const refuse = () => {
    throw new EngineError("unsupported", `This engine only pretends to run containers: it has no ${subject}`);
  };
  // Whatever the port's functions are called, this is each of them.
  return new Proxy({}, { get: (_, name) => name === "then" ? undefined : refuse }) as T;
}
