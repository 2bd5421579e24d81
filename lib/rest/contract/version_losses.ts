import { parseVersions } from "../route/version.ts";

/** Returns a version in the path that one condition lets in and another does not; undefined where there is none. Without a condition all are let in. */
export function lostVersion(before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined) return undefined;
  const [had, has] = [before ?? "", after].map(parseVersions);
  return [before ?? "", after].flatMap(versionsNear).find((version) => had(version) && !has(version));
}

/** The versions at the bounds of a condition, and next to them: in between nothing changes. */
function versionsNear(text: string): string[] {
  return [...text.matchAll(/[\d.]+/g)].flatMap(([version]) => {
    const numbers = version.split(".").map(Number);
    const last = numbers.pop() ?? 0;
    const near = (number: number) => [...numbers, number].join(".");
    return [version, near(last + 1), ...last > 0 ? [near(last - 1)] : [`${(numbers[0] ?? 1) - 1}.9`], `${version}.1`];
  }).filter((version) => !version.startsWith("-"));
}
