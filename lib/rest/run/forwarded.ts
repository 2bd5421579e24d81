import type { AnyFunction } from "../implement.ts";

/** A function that may say that it passes calls on as they came: it takes the arguments of its call as they were decoded. */
export type MayForward = AnyFunction & { readonly decoded?: true };

/** Marks a function as one that passes calls on as they came. */
export const markForward = (run: AnyFunction): MayForward => Object.assign(run, { decoded: true as const });

/** Whether a function passes calls on as they came. */
export const isForward = (run: MayForward): boolean => run.decoded === true;

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
