/** Tells whether a version in a path fits. Without one, everything does. */
export type VersionTest = (version: string | undefined) => boolean;

/**
 * Reads a condition on versions: comparisons that must all hold, as in `"<4"`, `">=4.2"` or `">=3 <5"`. Only as many numbers are compared as
 * the comparison names: 4.3.1 is not `>4`. It trusts the text: {@linkcode isVersions} says whether it is one.
 */
export function parseVersions(text: string): VersionTest {
  const tests = [...text.matchAll(/([<>=]+)([\d.]+)/g)].map(([, operator, numbers]) => ({
    operator,
    numbers: numbers.split("."),
  }));
  return (version) => {
    const given = version?.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
    return !given || tests.every(({ operator, numbers }) => {
      const order = numbers.map((number, i) => (given[i] ?? 0) - Number(number)).find(Boolean) ?? 0;
      return operator.includes(order < 0 ? "<" : order > 0 ? ">" : "=");
    });
  };
}

/** Whether a text is a condition on versions. */
export function isVersions(text: string): boolean {
  return text.trim().split(/[\s,]+/).every((part) => /^([<>]=?|=)\d+(\.\d+)*$/.test(part));
}
