import type { Call } from "./call.ts";
import type { ServerParts } from "./core_server.ts";
import type { AnyFunction } from "../implement.ts";

/** The key under which the function of a linked API passes calls on as they came. */
const FORWARD = Symbol();

/**
 * Passes a call on as it came: the arguments as they were decoded, and as they are for its function. Returns the answer, or what the function does
 * where the call's answer cannot pass as it comes.
 */
export type Forward = (
  decoded: readonly unknown[],
  values: readonly unknown[],
  call: Call,
  streams: ServerParts["streams"],
) => Promise<unknown>;

/** Has a function pass calls on. */
export function markForward(run: AnyFunction, forward: Forward): AnyFunction {
  return Object.assign(run, { [FORWARD]: forward });
}

/** How a function passes calls on, if it does. */
export function forwardOf(run: AnyFunction & { readonly [FORWARD]?: Forward }): Forward | undefined {
  return run[FORWARD];
}

/** The key under which a channel from elsewhere gives the texts of its values, as they come. */
export const TEXTS: unique symbol = /* @__PURE__ */ Symbol("gantry.rest.texts");

/** A channel whose values can be had as text. */
export interface TextChannel {
  readonly [TEXTS]: AsyncIterable<string>;
}

/** A channel that is passed on: its values are texts, for nobody on the way to read. */
export class PassedChannel {
  constructor(readonly texts: AsyncIterable<string>) {}

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this.texts[Symbol.asyncIterator]();
  }
}
