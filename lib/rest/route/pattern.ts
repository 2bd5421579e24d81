import type { Plan } from "../plan/plan_types.ts";
import { uniqueName } from "./unique_name.ts";

/**
 * The path of an operation as a URLPattern pathname: the public form of a route. Remainders are `(.+)`; names are rewritten to identifiers.
 *
 * @example
 * ```ts
 * import { api, patternOf, rest, stream } from "../mod.ts";
 * const { plans } = api("x", { Ping: rest("GET /_ping", [], [stream()]) });
 * console.assert(new URLPattern({ pathname: patternOf(plans[0]) }).test("http://x/_ping"));
 * ```
 */
export function patternOf(plan: Pick<Plan, "segments">): string {
  const names = new Set<string>();
  const named = (name: string) => uniqueName(identifierOf(name), names);
  return plan.segments.map((segment) => {
    switch (segment.type) {
      case "literal":
        return "/" + escapeLiteral(segment.text);
      case "parameter":
        return `/:${named(segment.name)}`;
      case "remainder":
        return `/:${named(segment.name)}(.+)`;
      case "partial":
        return "/" +
          segment.parts.map((part) => "text" in part ? escapeLiteral(part.text) : `{:${named(part.name)}}`).join("");
    }
  }).join("");
}

function identifierOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_$]/g, "_").replace(/^(?=\d)/, "_");
}

/** A text as a URLPattern takes it for itself. */
export function escapeLiteral(text: string): string {
  return text.replaceAll(/[{}()*+?:\\.]/g, "\\$&");
}

/**
 * The path of an operation in the spelling of another router; `%s` in the formats stands for the name. A remainder without a name ends the
 * pattern: what a bare `*` stands for is the rest of the path.
 */
export function formatPattern(
  { segments }: Pick<Plan, "segments">,
  paramFormat: string,
  remainderFormat: string,
): string {
  const names = new Set<string>();
  const write = (name: string, format: string) => format.replaceAll("%s", () => uniqueName(identifierOf(name), names));
  const last = remainderFormat.includes("%s") ? -1 : segments.findIndex((segment) => segment.type === "remainder");
  return (last < 0 ? segments : segments.slice(0, last + 1)).map((segment) => {
    switch (segment.type) {
      case "literal":
        return "/" + segment.text;
      case "parameter":
        return "/" + write(segment.name, paramFormat);
      case "remainder":
        return "/" + write(segment.name, remainderFormat);
      case "partial":
        return "/" + segment.parts.map((part) => "text" in part ? part.text : write(part.name, paramFormat)).join("");
    }
  }).join("");
}
