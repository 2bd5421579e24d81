import type { Definition } from "../definition.ts";
import type { Plan, Segment } from "../plan/plan_types.ts";
import { spellingsOf } from "./trie_router.ts";

/** A path by which an operation is reached. */
export interface RoutePath {
  readonly plan: Plan;
  readonly segments: readonly Segment[];
}

/** The version in front of a path: `v`, a digit, then digits, letters, dots and hyphens. */
export const VERSION: Segment = { type: "parameter", name: "version" };

/** The paths of all operations behind that of the base: with each alias, and with a version in front where the API has versions. */
export function routePaths({ plans, options: { versioned, aliases } }: Definition): RoutePath[] {
  return (versioned ? [[], [VERSION]] : [[]]).flatMap((version) =>
    plans.flatMap((plan) =>
      spellingsOf(plan.segments, aliases).map((spelling) => ({ plan, segments: [...version, ...spelling] }))
    )
  );
}
