import { Engine } from "../lib/engine/engine.ts";
import type { Handler } from "../lib/rest/mod.ts";
import type { EngineHandlerOptions } from "./engine_handler.ts";

/** The parts of an engine that runs in another process, and is reached by requests alone. */
export interface ElsewhereParts {
  /** Makes what `engineHandler()` returns for it. */
  makeHandler(options: EngineHandlerOptions): Handler;
  close(): Promise<void>;
  /** Makes the error for a use of another member. */
  refuse(member: string): Error;
}

/** The name under which such an engine has its {@linkcode ElsewhereParts.makeHandler}. */
const MAKE_HANDLER = Symbol("handler of an engine in another process");

/** Names that runtimes ask any object for. */
const ASKED = new Set(["then", "toJSON", "constructor"]);

/**
 * Returns an engine that runs in another process. `engineHandler()` serves it, and it can be closed; its other members throw:
 * records, and the functions that change them, are there.
 */
export function engineElsewhere({ makeHandler, close, refuse }: ElsewhereParts): Engine {
  const own = { [MAKE_HANDLER]: makeHandler, close, [Symbol.asyncDispose]: close };
  return new Proxy(Object.create(Engine.prototype) as Engine, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      if (typeof name === "symbol" || ASKED.has(name)) return undefined;
      throw refuse(name);
    },
  });
}

/** Returns the handler of an engine in another process; undefined for one of this process. */
export function handlerElsewhere(engine: Engine, options: EngineHandlerOptions): Handler | undefined {
  return (engine as { [MAKE_HANDLER]?: ElsewhereParts["makeHandler"] })[MAKE_HANDLER]?.(options);
}
