import type { Engine } from "../lib/engine/engine.ts";
import type { Context } from "../lib/rest/mod.ts";
import { freshHeaders } from "./wire/api_options.ts";

/** The parts of a call's context that {@linkcode keepWhile} looks at. */
type Asked = Pick<Context, "request" | "platform">;

/** Promises that a call's answer is right for the same request for ever. */
export function keepForever(context: Asked): void {
  keepWhile(context, () => true);
}

/**
 * Promises that a call's answer is right for the same request until a record changes. For answers made of nothing but records, from now on, and of
 * what is the same for as long as the server runs.
 *
 * @param until The moment from which on the answer says something else though no record changed, in milliseconds since the epoch
 */
export function keepUntilChange(engine: Engine, context: Asked, until: () => number = () => Infinity): void {
  if (context.platform.keepWhile === undefined) return;
  const { revision } = engine;
  const from = Date.now();
  const end = until();
  keepWhile(context, () => {
    if (engine.revision !== revision) return false;
    if (end === Infinity) return true;
    // A clock that was set back makes other texts, too.
    const now = Date.now();
    return now >= from && now < end;
  });
}

function keepWhile({ request, platform }: Asked, isCurrent: () => boolean): void {
  platform.keepWhile?.(isCurrent, freshHeaders(request));
}
