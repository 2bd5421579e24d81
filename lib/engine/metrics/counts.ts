/** Counts and distributions that grow while the engine runs. */

/** The words that a count is kept apart by, by name. */
export type Labels = Readonly<Record<string, string>>;

/** The most series of one count: labels that callers choose must not fill the memory. */
const MOST_SERIES = 5000;

/** Counts things by their labels. */
export class Counter {
  readonly #series = new SeriesMap(() => ({ count: 0 }));

  add(labels: Labels): void {
    this.#series.at(labels).count++;
  }

  read(): { labels: Labels; count: number }[] {
    return this.#series.list().map(({ labels, series: { count } }) => ({ labels, count }));
  }
}

/** The upper ends of the ranges that durations are counted in, in seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, Infinity];

/** Durations with the same labels. */
export interface DurationSeries {
  readonly labels: Labels;
  /** How many took at most so many seconds; the last bound is `Infinity`, which all fit. */
  readonly ranges: readonly { bound: number; count: number }[];
  /** The seconds of all together. */
  readonly sum: number;
}

/** Counts durations by their labels and length. */
export class DurationHistogram {
  readonly #series = new SeriesMap(() => ({ counts: BOUNDS.map(() => 0), sum: 0 }));

  /** Adds a duration, in seconds. */
  add(labels: Labels, seconds: number): void {
    const series = this.#series.at(labels);
    series.counts[BOUNDS.findIndex((bound) => seconds <= bound)]++;
    series.sum += seconds;
  }

  read(): DurationSeries[] {
    return this.#series.list().map(({ labels, series: { counts, sum } }) => {
      let below = 0;
      return { labels, ranges: counts.map((count, index) => ({ bound: BOUNDS[index], count: below += count })), sum };
    });
  }
}

/** Series by their labels. Beyond the limit further ones share one, whose labels all say `other`. */
class SeriesMap<T> {
  readonly #make: () => T;
  readonly #series = new Map<string, { labels: Labels; series: T }>();

  constructor(make: () => T) {
    this.#make = make;
  }

  at(labels: Labels): T {
    const known = this.#series.get(keyOf(labels));
    if (known) return known.series;
    const isFull = this.#series.size >= MOST_SERIES;
    const kept = isFull ? Object.fromEntries(Object.keys(labels).map((name) => [name, "other"])) : labels;
    const key = keyOf(kept);
    const entry = this.#series.get(key) ?? { labels: kept, series: this.#make() };
    this.#series.set(key, entry);
    return entry.series;
  }

  list(): { labels: Labels; series: T }[] {
    return [...this.#series.values()];
  }
}

function keyOf(labels: Labels): string {
  return Object.values(labels).join("\n");
}
