import type { APIOptions, Operations } from "./definition.ts";

export interface Plan {
  readonly name: string;
}
export class DefinitionError extends TypeError {}
export function planAll(operations: Operations, _options: APIOptions): readonly Plan[] {
  return Object.keys(operations).map((name) => ({ name }));
}
