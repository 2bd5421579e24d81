import type { Definition, Operations } from "./definition.ts";
import type { ClientFunction } from "./function_types.ts";
import type { Implementation } from "./implement.ts";

/** What sends the requests of a linked API. */
export interface Client {
  fetch(request: Request): Promise<Response>;
}

/** The functions of a linked API. */
export type Linked<D extends Operations> = { readonly [K in keyof D]: ClientFunction<D[K]> };

export function link<const D extends Operations>(
  _definition: Definition<D>,
  _base?: string,
  _client?: Client,
): Linked<D> & Implementation {
  throw new Error("Not there yet");
}
export function header(_name: string, _value: string, _client?: Client): Client {
  throw new Error("Not there yet");
}
export const API: { readonly link: typeof link } = { link };
