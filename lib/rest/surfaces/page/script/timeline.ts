/** A value of a channel, when it came, and how long after the one before. */
export interface Moment {
  readonly text: string;
  /** The time of day, to the millisecond. */
  readonly time: string;
  /** As in `+12 ms`; empty for the first. */
  readonly after: string;
}

/** Collects the values of a channel for a view that keeps the last ones and may stand still. */
export class Timeline {
  readonly #kept: number;
  #waiting: Moment[] = [];
  #last: number | undefined;
  #times: number[] = [];
  #isPaused = false;
  /** All values so far. */
  count = 0;

  /** `kept` is how many values the view holds at the most. */
  constructor(kept: number) {
    this.#kept = kept;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Takes a value that came at `now`, in milliseconds since 1970. */
  add(text: string, now: number): void {
    this.count++;
    this.#waiting.push({
      text,
      time: timeOfDay(new Date(now)),
      after: this.#last === undefined ? "" : `+${spanText(now - this.#last)}`,
    });
    this.#last = now;
    this.#times.push(now);
    // Twice as many, so that the list is not cut with each value.
    if (this.#waiting.length > 2 * this.#kept) this.#waiting = this.#waiting.slice(-this.#kept);
    if (this.#times.length > 2 * this.#kept) this.#times = this.#times.slice(-this.#kept);
  }

  /** Returns the values to append to the view; none while it stands still. */
  take(): readonly Moment[] {
    if (this.#isPaused) return [];
    const taken = this.#waiting.slice(-this.#kept);
    this.#waiting = [];
    return taken;
  }

  /** Lets the view stand still, or go on. Values that come meanwhile wait, the last ones of them. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  /** Forgets the values so far; the count begins anew. */
  clear(): void {
    this.#waiting = [];
    this.#times = [];
    this.#last = undefined;
    this.count = 0;
  }

  /** Describes what has come, as in `12 values, 3.1 a second`; `now` is left out once nothing more comes. */
  summary(now?: number): string {
    const count = this.count === 1 ? "1 value" : `${this.count} values`;
    if (now === undefined) return count;
    const recent = this.#times.filter((time) => time > now - 5000);
    const rate = recent.length < 2
      ? ""
      : `, ${rateText(recent.length / Math.max(1, (now - recent[0]) / 1000))} a second`;
    const waiting = this.#isPaused ? `, ${Math.min(this.#waiting.length, this.#kept)} wait` : "";
    return count + rate + waiting;
  }
}

function rateText(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : String(Math.round(rate));
}

/** Writes milliseconds for people. */
export function spanText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  return `${minutes} min ${Math.floor(milliseconds / 1000) % 60} s`;
}

function timeOfDay(date: Date): string {
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0"));
  return `${parts.join(":")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
