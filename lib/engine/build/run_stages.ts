/**
 * The stages of a build, side by side as their needs allow.
 *
 * @module
 */
import type { BuildProgress, StepEvent } from "./build_options.ts";
import type { BuildRun, BuildSteps } from "./build_run.ts";
import { buildStage } from "./build_stage.ts";
import type { PlannedStage } from "./plan_stages.ts";

/** Stages that are built at a time where the caller does not say: commands of more would only share the processors. */
const USUAL_JOBS = 4;
/** Events that wait for a slow reader before a stage waits, too. */
const MOST_WAITING = 64;
/** Letters of output that are kept of a stage whose turn to tell has not come. */
const MOST_HELD = 16 << 20;

/** The events of one stage on their way to the reader. */
interface StageFeed {
  events: BuildProgress[];
  /** Letters of output among them. */
  held: number;
  isDone: boolean;
  failure?: { error: unknown };
}

/**
 * Builds every stage of the plan, and leaves their states in the run. The first failure ends the others and is thrown when they
 * have ended. With `inOrder` a stage tells of itself when those before it have ended; it is built meanwhile all the same.
 */
export async function* runStages(run: BuildRun): BuildSteps<void> {
  const { plan: { stages }, options: { jobs = USUAL_JOBS, inOrder = false } } = run;
  if (stages.length === 1 || jobs === 1) {
    for (const stage of stages) run.stages.set(stage.index, yield* buildStage(run, stage, stepCounter(run, stage)));
    return;
  }
  const group = new StageGroup(run, jobs || stages.length, inOrder);
  try {
    yield* group.events();
  } finally {
    await group.end();
  }
}

/** The parts of a run that the numbers of its steps depend on. */
type Numbered = Pick<BuildRun, "plan" | "options">;

/** The number of a build's steps. */
export function totalSteps(run: Numbered): number {
  return run.plan.stages.reduce((sum, stage) => sum + stageSteps(run, stage), 0);
}

/** The number of a stage's steps: `FROM` is one, and the labels that the caller gives the image are one of the last stage. */
function stageSteps({ plan, options }: Numbered, { index, instructions }: PlannedStage): number {
  const hasLabels = index === plan.target && Object.keys(options.labels ?? {}).length > 0;
  return 1 + instructions.length + (hasLabels ? 1 : 0);
}

/** Returns a function that numbers the steps of a stage as it is called, after the first `done` of them. */
export function stepCounter(run: Numbered, stage: PlannedStage, done = 0): (text: string) => StepEvent {
  const { stages, target } = run.plan;
  const before = totalSteps({ ...run, plan: { ...run.plan, stages: stages.slice(0, stages.indexOf(stage)) } });
  const place = { total: stageSteps(run, stage), position: stage.index + 1, count: target + 1 };
  let number = done;
  return (text) => {
    number++;
    return { kind: "step", number: before + number, total: totalSteps(run), text, stage: { ...place, number } };
  };
}

class StageGroup {
  readonly #run: BuildRun;
  readonly #jobs: number;
  readonly #inOrder: boolean;
  readonly #ending = new AbortController();
  readonly #feeds = new Map<PlannedStage, StageFeed>();
  readonly #workers = new Set<Promise<void>>();
  #changed = Promise.withResolvers<void>();

  constructor(run: BuildRun, jobs: number, inOrder: boolean) {
    const signal = AbortSignal.any([run.signal, this.#ending.signal]);
    this.#run = { ...run, signal };
    this.#jobs = jobs;
    this.#inOrder = inOrder;
  }

  async *events(): AsyncGenerator<BuildProgress, void, undefined> {
    for (;;) {
      this.#startReady();
      const changed = this.#changed.promise;
      for (const feed of this.#readable()) {
        // A failure is told when everything before it is.
        while (feed.events.length > 0) yield this.#take(feed);
        if (feed.failure) {
          await this.end();
          throw feed.failure.error;
        }
      }
      const { stages } = this.#run.plan;
      if (stages.every((stage) => this.#run.stages.has(stage.index)) && this.#readable().length === 0) return;
      await changed;
    }
  }

  /** Ends what is under way, and waits for it. */
  async end(): Promise<void> {
    this.#ending.abort(new DOMException("Another stage failed", "AbortError"));
    this.#tell();
    await Promise.allSettled(this.#workers);
  }

  /** Starts the stages whose needs are there, as many as may be under way. */
  #startReady(): void {
    const { plan, stages } = this.#run;
    for (const stage of plan.stages) {
      if (this.#workers.size >= this.#jobs) return;
      if (this.#feeds.has(stage) || !stage.needs.every((need) => stages.has(need))) continue;
      const feed: StageFeed = { events: [], held: 0, isDone: false };
      this.#feeds.set(stage, feed);
      const worker = this.#work(stage, feed).finally(() => {
        this.#workers.delete(worker);
        feed.isDone = true;
        this.#tell();
      });
      this.#workers.add(worker);
    }
  }

  async #work(stage: PlannedStage, feed: StageFeed): Promise<void> {
    try {
      const work = buildStage(this.#run, stage, stepCounter(this.#run, stage));
      for (;;) {
        const next = await work.next();
        if (next.done) return void this.#run.stages.set(stage.index, next.value);
        this.#push(feed, next.value);
        while (feed.events.length > MOST_WAITING && this.#readable().includes(feed)) {
          this.#run.signal.throwIfAborted();
          await this.#changed.promise;
        }
      }
    } catch (error) {
      // Of several, the first is the reason.
      if (!this.#ending.signal.aborted) feed.failure = { error };
    }
  }

  /** The feeds that may tell now: all, or the first one that is not told to its end. */
  #readable(): StageFeed[] {
    const feeds = this.#run.plan.stages.flatMap((stage) => this.#feeds.get(stage) ?? []);
    const open = feeds.filter(({ isDone, events, failure }) => !isDone || events.length > 0 || failure !== undefined);
    if (!this.#inOrder) return open;
    // One that failed is told at once: those before it are ended for it.
    const failed = open.find(({ failure }) => failure !== undefined);
    return failed ? open.slice(0, open.indexOf(failed) + 1) : open.slice(0, 1);
  }

  #push(feed: StageFeed, event: BuildProgress): void {
    const length = event.kind === "output" ? event.text.length : 0;
    if (feed.held + length > MOST_HELD) return;
    feed.held += length;
    feed.events.push(event);
    this.#tell();
  }

  #take(feed: StageFeed): BuildProgress {
    const event = feed.events.shift()!;
    if (event.kind === "output") feed.held -= event.text.length;
    if (feed.events.length === MOST_WAITING) this.#tell();
    return event;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
