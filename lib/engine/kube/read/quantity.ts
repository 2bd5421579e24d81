/**
 * Amounts as Kubernetes writes them: a decimal number with `m`, `k`, `Mi`, … or an exponent behind it.
 *
 * Source: `k8s.io/apimachinery/pkg/api/resource`.
 *
 * @module
 */

const FORM = /^([+-]?)(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:([eE][+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/;

/** The exponents of suffixes: of ten, or of two. */
const TENS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const TWOS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Nano is the finest that there is. */
const SCALE = 10n ** 9n;

/** The value of an amount in billionths; `undefined` for what is none, or is below zero. */
function parseNano(text: string): bigint | undefined {
  const [, sign, number, exponent, suffix = ""] = FORM.exec(text) ?? [];
  if (number === undefined || sign === "-") return undefined;
  const [whole, fraction = ""] = number.split(".");
  const ten = Object.hasOwn(TENS, suffix) ? TENS[suffix] : Number(exponent?.slice(1) ?? 0);
  const two = Object.hasOwn(TWOS, suffix) ? TWOS[suffix] : 0;
  const power = ten - fraction.length + 9;
  const digits = BigInt(whole + fraction) << BigInt(two);
  return power >= 0 ? digits * 10n ** BigInt(power) : ceilDivide(digits, 10n ** BigInt(-power));
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** Returns the text of an amount, if it is one. Throws what `fail` makes of the reason. */
export function showQuantity(text: string, fail: (why: string) => Error): string {
  const value = parseNano(text);
  if (value === undefined) throw fail(`must be an amount as "500m" or "1Gi"; it is "${text}"`);
  // Kubernetes has 63 bits for it.
  if (value / SCALE >= 1n << 63n) throw fail(`is more than there can be: "${text}"`);
  return text;
}

/** The whole units of an amount, rounded up: bytes, processors. Nothing is 0. */
export function wholeUnits(text: string | undefined): number {
  return text === undefined ? 0 : Number(ceilDivide(parseNano(text) ?? 0n, SCALE));
}

/** The milliUnits of an amount, rounded up: of processors, as a rule. Nothing is 0. */
export function milliUnits(text: string | undefined): number {
  return text === undefined ? 0 : Number(ceilDivide((parseNano(text) ?? 0n) * 1000n, SCALE));
}

/** How often a divisor is in an amount, rounded up as Kubernetes does. */
export function divideQuantity(text: string, divisor: string): number {
  const by = parseNano(divisor) ?? 0n;
  return Number(ceilDivide(parseNano(text) ?? 0n, by === 0n ? SCALE : by));
}
