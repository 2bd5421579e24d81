/**
 * Runs parts of the tests side by side. Tests of containers and of peers wait half of their time, so there are two lanes more than
 * processors.
 *
 * @module
 */

/** Prints text of a part: lines, or pieces of lines. */
export type Print = (text: string) => void;

/** The result of a part. */
export interface Counts {
  passed: number;
  failed: number;
}

/** A part of the tests, which runs beside others. */
export interface Part {
  /** The step that it belongs to, as `--only` names it. */
  step: string;
  /** Its name within the step. */
  name?: string;
  /** Its subject, for a reader. */
  what: string;
  /** Parts of one group run one after the other: one changes what another watches. */
  group?: string;
  run(print: Print): Promise<Counts>;
}

/** Runs parts in their order, `lanes` at a time and those of a group one by one, and returns the sum of their results. */
export async function runParts(parts: readonly Part[], lanes: number): Promise<Counts> {
  const total: Counts = { passed: 0, failed: 0 };
  const waiting = [...parts];
  const many = parts.length > 1;
  const running = new Set<string | undefined>();
  /** The next part whose group does not run. One that stays is taken by the lane that its group runs in. */
  const takePart = () => {
    const index = waiting.findIndex(({ group }) => group === undefined || !running.has(group));
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  };
  const runLane = async () => {
    for (let part = takePart(); part !== undefined; part = takePart()) {
      running.add(part.group);
      const { passed, failed } = await runPart(part, many);
      running.delete(part.group);
      total.passed += passed;
      total.failed += failed;
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, parts.length) }, runLane));
  return total;
}

/** Returns parts in the order of a list of their steps and names: `host build`, or `doc` for one without a name. */
export function inOrder(parts: readonly Part[], order: readonly string[]): Part[] {
  const places = new Map(order.map((title, place) => [title, place]));
  const place = (part: Part) => {
    const found = places.get(titleOf(part));
    if (found === undefined) throw new Error(`Order the parts of the tests: "${titleOf(part)}" is not listed`);
    return found;
  };
  return parts.toSorted((a, b) => place(a) - place(b));
}

function titleOf({ step, name }: Part): string {
  return name === undefined ? step : `${step} ${name}`;
}

/** Writes a heading line. */
export function printHeading(text: string): void {
  console.log(`\n== ${text}`);
}

async function runPart(part: Part, many: boolean): Promise<Counts> {
  const name = titleOf(part);
  printHeading(`${name}: ${part.what}`);
  const from = performance.now();
  const counts = await part.run(linePrinter(many ? `${name} | ` : ""));
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  console.log(`-- ${name}: ${counts.passed} passed, ${counts.failed} failed, in ${seconds} s`);
  return counts;
}

/** Prints whole lines only, so that lanes do not write into each other's. Without a prefix text is printed as it comes. */
function linePrinter(prefix: string): Print {
  const encoder = new TextEncoder();
  const write = (text: string) => {
    for (let bytes = encoder.encode(text); bytes.length > 0;) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  };
  if (prefix === "") return write;
  let begun = "";
  return (text) => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) write(`${prefix}${line}\n`);
  };
}
