import type { AnyFunction } from "../implement.ts";

/** The key under which the function of a linked API says that it passes calls on as they came. */
const FORWARD = Symbol();

/** Marks a function as one that passes calls on as they came. */
export const markForward = (run: AnyFunction): AnyFunction => Object.assign(run, { [FORWARD]: true });

/** Whether a function passes calls on as they came. */
export const isForward = (run: AnyFunction & { readonly [FORWARD]?: true }): boolean => run[FORWARD] === true;

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
