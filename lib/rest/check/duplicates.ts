import type { Plan, Segment } from "../plan/plan_types.ts";

/** Lists the operations of which requests could not tell one from the other. */
export function findDuplicates(plans: readonly Plan[]): string[] {
  const problems: string[] = [];
  const seen = new Map<string, Plan>();
  const remainders: Plan[] = [];
  for (const plan of plans) {
    const key = `${plan.method} ${plan.segments.map(shapeOf).join("/")} ${conditionsOf(plan)}`;
    const before = seen.get(key);
    if (before !== undefined) {
      problems.push(
        `Define "${plan.name}": "${plan.tag}" takes the same requests as "${before.name}": "${before.tag}"`,
      );
      continue;
    }
    seen.set(key, plan);
    if (plan.segments.filter((segment) => segment.type === "remainder").length > 1) remainders.push(plan);
  }
  for (const [index, plan] of remainders.entries()) {
    for (const other of remainders.slice(0, index)) {
      if (!isAmbiguous(plan, other)) continue;
      problems.push(
        `Define "${plan.name}": "${plan.tag}" and "${other.name}": "${other.tag}" fit some paths equally well`,
      );
    }
  }
  return problems;
}

function shapeOf(segment: Segment): string {
  switch (segment.type) {
    case "literal":
      return segment.text;
    case "partial":
      return segment.parts.map((part) => "text" in part ? part.text : "{}").join("");
    default:
      return segment.type === "parameter" ? "{}" : "{*}";
  }
}

function conditionsOf(plan: Plan): string {
  return JSON.stringify([
    plan.versionsText ?? "",
    [...plan.present].sort(),
    plan.constants.map(([name, value]) => `${name}=${value}`).sort(),
  ]);
}

/** Two remainders in one path leave several places to cut it; equal but for a literal behind the first, two such paths overlap. */
function isAmbiguous(a: Plan, b: Plan): boolean {
  if (a.method !== b.method || conditionsOf(a) !== conditionsOf(b) || a.segments.length !== b.segments.length) {
    return false;
  }
  const first = a.segments.findIndex((segment) => segment.type === "remainder");
  return a.segments.every((segment, index) => {
    const other = b.segments[index];
    return segment.type === other.type && (index > first || shapeOf(segment) === shapeOf(other));
  });
}
