import type { Plan } from "../plan/plan_types.ts";

/** An argument or result that stands in a header or a cookie. */
export interface HeaderPlace {
  /** Its number among the arguments or results. */
  readonly index: number;
  readonly type: "header" | "cookie";
  /** The name of the header, or of the cookie. */
  readonly name: string;
  /** The rule in the tag: `ETag:`, `Cookie:sid`, `Set-Cookie:sid`. */
  readonly rule: string;
}

function placeOf(rule: string | undefined, index: number): HeaderPlace[] {
  const [name, cookie] = rule?.split(":") ?? [];
  if (!rule || cookie === undefined) return [];
  return [cookie ? { type: "cookie", name: cookie, index, rule } : { type: "header", name, index, rule }];
}

/** Lists the arguments that stand in headers and cookies. */
export function argumentPlaces({ unplaced, parsed }: Plan): HeaderPlace[] {
  return unplaced.flatMap((index, at) => placeOf(parsed.argumentRules[at], index));
}

/** Lists the results that stand in headers and cookies. */
export function resultPlaces({ parsed }: Plan): HeaderPlace[] {
  return parsed.resultRules.flatMap((rule, index) => placeOf(rule, index));
}
