import { assert, assertEquals } from "@std/assert";
import type { Server } from "../../fixtures/server.ts";
import { until } from "../../fixtures/session.ts";
import { afterCut, type Choice, type Model, type Operation, OPERATIONS, type Send } from "./container_model.ts";

/** Steps of one sequence. */
const STEPS = 8;

const NAMES = Object.keys(OPERATIONS);

/** A client that drives containers of its own by random operations, and compares what it sees with the model. */
export class ModelClient {
  /** Every container it made, for the search for traces. */
  readonly ids: string[] = [];
  /** Requests that a dying server left without an answer. */
  cut = 0;
  /** Operations asked for so far, answered or not: kills come after a further one. */
  asked = 0;
  readonly #server: Server;
  readonly #image: string;
  readonly #random: () => number;
  readonly #name: string;
  #count = 0;

  /** `random` gives numbers in [0, 1); the same ones make the same sequences. */
  constructor(server: Server, image: string, name: string, random: () => number) {
    this.#server = server;
    this.#image = image;
    this.#name = name;
    this.#random = random;
  }

  /** Runs one sequence: a container's life, up to its removal. */
  async sequence(): Promise<void> {
    const taken = this.#newName();
    const other = await this.#create(taken);
    const name = this.#newName();
    const id = await this.#create(name);
    let models: (Model | undefined)[] = [{ status: "created", code: 0, name }];
    const story: string[] = [];
    for (let step = 0; step < STEPS && models.some((model) => model); step++) {
      const what = NAMES[Math.floor(this.#random() * NAMES.length)];
      const choice = { name: this.#newName(), taken, number: Math.floor(this.#random() * 100) };
      story.push(what);
      models = await this.#step(OPERATIONS[what], id, models, choice, story);
      models = [await this.#seen(id, models, story)];
    }
    for (const left of [id, other]) {
      await this.#again(() => this.#send("DELETE", `/libpod/containers/${left}?force=true&timeout=0&ignore=true`));
    }
  }

  /** Does one operation; gives what the container may be after it. */
  async #step(
    operation: Operation,
    id: string,
    models: readonly (Model | undefined)[],
    choice: Choice,
    story: readonly string[],
  ): Promise<(Model | undefined)[]> {
    let status: number;
    this.asked++;
    try {
      status = await operation.send(this.#send, id, choice);
    } catch {
      this.cut++;
      return afterCut(operation, models, choice);
    }
    const outcomes = models.map((model) =>
      model ? operation.outcome(model, choice) : { status: 404, after: undefined }
    );
    const fitting = outcomes.filter((outcome) => outcome.status === status);
    assert(fitting.length > 0, `${story.join(", ")}: answered ${status}, not ${outcomes.map((each) => each.status)}`);
    return fitting.map(({ after }) => after);
  }

  /** What the server shows; it must be one of the models. */
  async #seen(
    id: string,
    models: readonly (Model | undefined)[],
    story: readonly string[],
  ): Promise<Model | undefined> {
    const { status, text } = await this.#again(() => this.#send("GET", `/libpod/containers/${id}/json`));
    if (status === 404) {
      assert(models.includes(undefined), `${story.join(", ")}: the container is gone`);
      return undefined;
    }
    const shown = JSON.parse(text);
    const { Status, ExitCode, Pid } = shown.State;
    const seen = { status: Status, code: ExitCode, name: shown.Name };
    const fitting = models.filter((each) => each !== undefined).filter((each) =>
      each.status === seen.status && each.code === seen.code && each.name === seen.name
    );
    const [model] = fitting;
    assert(model, `${story.join(", ")}: ${JSON.stringify(seen)} is none of ${JSON.stringify(models)}`);
    const lives = seen.status !== "created" && seen.status !== "exited";
    assertEquals(Pid > 0, lives, `${story.join(", ")}: ${seen.status} with process ${Pid}`);
    if (lives) assert(isAlive(Pid), `${story.join(", ")}: process ${Pid} is gone`);
    return { ...model, mark: await this.#mark(id, fitting.map(({ mark }) => mark), story) };
  }

  /** What the container's file holds; it must be one of these. */
  async #mark(
    id: string,
    marks: readonly (string | undefined)[],
    story: readonly string[],
  ): Promise<string | undefined> {
    const { status, text } = await this.#again(() => {
      return this.#send("GET", `/libpod/containers/${id}/archive?path=/mark`);
    });
    // One file: its content follows a head of 512 bytes.
    const shown = status === 200 ? /\n?(\d+)\n\0*$/.exec(text)?.[1] : undefined;
    assert(marks.includes(shown), `${story.join(", ")}: the file holds ${shown}, not ${marks}`);
    return shown;
  }

  async #create(name: string): Promise<string> {
    const body = { image: this.#image, name, command: ["sleep", "1000"], netns: { nsmode: "none" } };
    const { status, text } = await this.#again(() => this.#send("POST", "/libpod/containers/create", body));
    // A server that died over its answer may have made it all the same.
    const id = status === 201 ? JSON.parse(text).Id : await this.#idOf(name, text);
    this.ids.push(id);
    return id;
  }

  async #idOf(name: string, answer: string): Promise<string> {
    const { status, text } = await this.#again(() => this.#send("GET", `/libpod/containers/${name}/json`));
    assertEquals(status, 200, answer);
    return JSON.parse(text).Id;
  }

  /** Asks until there is an answer: a server that was killed is back, on a loaded machine after several kills only. */
  #again<T>(ask: () => Promise<T>): Promise<T> {
    return until(ask, 120_000);
  }

  readonly #send: Send = async (method, path, body) => {
    const raw = body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined;
    const options = raw === undefined ? { body } : { raw, headers: { "content-type": "application/x-tar" } };
    const response = await this.#server.request(method, path, options);
    return { status: response.status, text: await response.text() };
  };

  #newName(): string {
    return `${this.#name}-${this.#count++}`;
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}
