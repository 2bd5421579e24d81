/** Tells whether a version in a path fits. Without one, everything does. */
export type VersionTest = (version: string | undefined) => boolean;

/**
 * Reads a condition on versions: comparisons that must all hold, as in `"<4"`, `">=4.2"` or `">=3 <5"`. Only as many numbers are compared as
 * the comparison names: 4.3.1 is not `>4`.
 *
 * @throws {SyntaxError}
 */
export function parseVersions(text: string): VersionTest {
  const tests = text.trim().split(/[\s,]+/).map((part) => {
    const match = /^([<>]?=?)(\d+(?:\.\d+)*)$/.exec(part);
    if (!match?.[1]) throw new SyntaxError(`Parse versions "${text}": "${part}" is not a comparison such as "<4"`);
    return { operator: match[1], numbers: match[2].split(".") };
  });
  return (version) => {
    const given = version?.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
    return !given || tests.every(({ operator, numbers }) => {
      const orders = numbers.map((number, i) => (given[i] ?? 0) - Number(number));
      const order = orders.find(Boolean) ?? 0;
      return operator.includes(order < 0 ? "<" : order > 0 ? ">" : "=");
    });
  };
}
