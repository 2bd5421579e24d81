/** Tells whether a version in a path fits. Without one, everything does. */
export type VersionTest = (version: string | undefined) => boolean;

/**
 * Reads a condition on versions: comparisons that must all hold, as in `"<4"`, `">=4.2"` or `">=3 <5"`. Only as many numbers are compared as
 * the comparison names: 4.3.1 is not `>4`.
 *
 * @throws {SyntaxError}
 */
export function parseVersions(text: string): VersionTest {
  const tests = text.split(/[\s,]+/).filter((part) => part !== "").map((part) => {
    const match = /^(<=|>=|<|>|=)(\d+(?:\.\d+)*)$/.exec(part);
    if (match === null) throw new SyntaxError(`Parse versions "${text}": "${part}" is not a comparison such as "<4"`);
    return { operator: match[1], numbers: match[2].split(".").map(Number) };
  });
  if (tests.length === 0) throw new SyntaxError(`Parse versions "${text}": nothing to compare with`);
  return (version) => {
    if (version === undefined) return true;
    const given = version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
    return tests.every(({ operator, numbers }) => {
      const order = compare(given, numbers);
      switch (operator) {
        case "<":
          return order < 0;
        case "<=":
          return order <= 0;
        case ">":
          return order > 0;
        case ">=":
          return order >= 0;
        default:
          return order === 0;
      }
    });
  };
}

function compare(given: number[], numbers: number[]): number {
  for (let i = 0; i < numbers.length; i++) {
    const order = (given[i] ?? 0) - numbers[i];
    if (order !== 0) return order;
  }
  return 0;
}
