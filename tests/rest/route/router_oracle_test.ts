import { assert, assertEquals } from "@std/assert";
import { patternOf } from "../../../lib/rest/mod.ts";
import type { Plan } from "../../../lib/rest/mod.ts";
import { patternRouter } from "../../../lib/rest/route/pattern_router.ts";
import { compareSegments } from "../../../lib/rest/route/route_order.ts";
import type { MakeRouter } from "../../../lib/rest/route/router.ts";
import { trieRouter } from "../../../lib/rest/route/trie_router.ts";
import { plansOf, routers } from "../../fixtures/rest/router_tables.ts";

/** Deterministic, so that a failure can be looked at again. */
function dice(seed: number): (n: number) => number {
  return (n) => (seed = (seed * 48271) % 2147483647) % n;
}

const SEGMENTS = ["a", "b", "%7B", "{p=%v}", "{q=%v}.x", "a{q=%v}", "{p=%v}-{q=%v}", "{r*=%v}"];
const TEXTS = [
  "a",
  "b",
  "a.x",
  "ab",
  "a-b",
  "a-b-c",
  ".x",
  "%41",
  "%2F",
  "b%2Fc",
  "é",
  ".",
  "..",
  "%2e",
  "",
  "{",
  "a\\b",
  "1.2.x",
];

function randomTags(roll: (n: number) => number): string[] {
  const tags = new Map<string, string>();
  for (let i = 1 + roll(8); i > 0; i--) {
    const segments = Array.from({ length: 1 + roll(4) }, () => SEGMENTS[roll(SEGMENTS.length)]);
    if (segments.filter((segment) => segment.includes("*")).length > 1) continue;
    let n = 0;
    const path = segments.map((segment) => segment.replaceAll(/\{\w/g, () => `{n${n++}`)).join("/");
    tags.set(path.replaceAll(/n\d+/g, ""), `GET /${path}`);
  }
  return [...tags.values()];
}

const RANKS = { literal: 0, partial: 1, parameter: 2, remainder: 3 };

/** Whether `a` is to be preferred to `b`, in so far as the rules say; 0 where they do not. */
function compare(a: Plan, b: Plan): number {
  for (let i = 0; i < Math.max(a.segments.length, b.segments.length); i++) {
    if (a.segments[i] === undefined || b.segments[i] === undefined) return 0;
    const order = RANKS[a.segments[i].type] - RANKS[b.segments[i].type];
    if (order !== 0) return order;
    if (a.segments[i].type === "partial") return 0;
    if (a.segments[i].type === "remainder") return compareSegments(a.segments.slice(i + 1), b.segments.slice(i + 1));
  }
  return 0;
}

for (const [name, make] of Object.entries(routers)) {
  Deno.test(`${name}.match() agrees with URLPattern over random tables and paths`, () => agrees(make));
}

function agrees(make: MakeRouter): void {
  const roll = dice(20261121);
  let hits = 0;
  for (let round = 0; round < 400; round++) {
    const plans = plansOf(randomTags(roll));
    const router = make(plans.map((plan) => ({ plan, options: {}, value: plan })));
    const patterns = plans.map((plan) => ({ plan, pattern: new URLPattern({ pathname: patternOf(plan) }) }));
    for (let i = 0; i < 60; i++) {
      const path = "/" + Array.from({ length: 1 + roll(5) }, () => TEXTS[roll(TEXTS.length)]).join("/");
      const fitting = patterns.flatMap(({ plan, pattern }) => {
        const match = pattern.exec(`http://localhost${path}`);
        return match === null ? [] : [{ plan, groups: Object.values(match.pathname.groups) }];
      });
      const found = router.match("GET", path, "");
      const about = `${path} over ${plans.map((plan) => plan.tag).join(", ")}`;
      assertEquals(found === undefined, fitting.length === 0, about);
      if (found === undefined) continue;
      hits++;
      const own = fitting.find(({ plan }) => plan === found.value);
      assert(own !== undefined, `${about}: ${found.value.tag} does not fit`);
      assertEquals(found.captures.map(decode), own.groups.map((text) => decode(text ?? "")), about);
      for (const other of fitting) {
        assert(compare(found.value, other.plan) <= 0, `${about}: ${other.plan.tag} is better than ${found.value.tag}`);
      }
    }
  }
  assert(hits > 2000, `only ${hits} paths fitted anything`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

Deno.test("patternRouter() finds what trieRouter() finds, with remainders in several places", () => {
  const roll = dice(20261124);
  let hits = 0;
  for (let round = 0; round < 400; round++) {
    const tags = new Map<string, string>();
    for (let i = 1 + roll(8); i > 0; i--) {
      let n = 0;
      const path = Array.from({ length: 1 + roll(5) }, () => SEGMENTS[roll(SEGMENTS.length)]).join("/")
        .replaceAll(/\{\w/g, () => `{n${n++}`);
      if (path.split("*").length < 4) tags.set(path.replaceAll(/n\d+/g, ""), `GET /${path}`);
    }
    let plans: readonly Plan[];
    try {
      plans = plansOf([...tags.values()]);
    } catch {
      // Two of them fit some paths equally well.
      continue;
    }
    const routes = plans.map((plan) => ({ plan, options: {}, value: plan.tag }));
    const [trie, pattern] = [trieRouter(routes), patternRouter(routes)];
    for (let i = 0; i < 60; i++) {
      const path = `/${Array.from({ length: 1 + roll(5) }, () => TEXTS[roll(TEXTS.length)]).join("/")}`;
      const [found, same] = [trie, pattern].map((router) => {
        const match = router.match("GET", path, "");
        return match && [match.value, match.captures];
      });
      assertEquals(same, found, `${path} over ${plans.map(({ tag }) => tag).join(", ")}`);
      if (found) hits++;
    }
  }
  assert(hits > 2000, `only ${hits} paths fitted anything`);
});
