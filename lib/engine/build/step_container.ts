/**
 * The containers that a build's steps work in.
 *
 * @module
 */
import type { Containers } from "../containers/containers.ts";
import type { MemberRequest } from "../containers/request/container_request.ts";
import type { Core } from "../core.ts";
import type { Intent } from "../store/intents.ts";
import { randomID } from "../text/names.ts";

/** The kind of the intents that name a step's container. */
const STEP_INTENT = "build.container";

/** Makes containers for steps, so that none outlasts the server that made it. */
export class StepContainers {
  readonly #core: Core;
  readonly #containers: Containers;

  constructor(core: Core, containers: Containers) {
    this.#core = core;
    this.#containers = containers;
  }

  /** Makes one; disposing of it removes it, running or not, unless it is kept. */
  async create(request: MemberRequest): Promise<StepContainer> {
    const name = `build-${randomID(this.#core.random).slice(0, 24)}`;
    const { intent, operation } = this.#core.intents.begin(STEP_INTENT, name);
    await this.#core.state.commit([operation]);
    const end = () => this.#remove(intent);
    try {
      const { record } = await this.#containers.create({ ...request, name });
      let isKept = false;
      return {
        id: record.id,
        keep: () => void (isKept = true),
        get isKept() {
          return isKept;
        },
        [Symbol.asyncDispose]: () => isKept ? this.#core.state.commit([this.#core.intents.end(intent)]) : end(),
      };
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** Removes those that the last server left. */
  async recover(): Promise<void> {
    for (const intent of this.#core.intents.open(STEP_INTENT)) {
      await this.#remove(intent).catch((error) => {
        this.#core.log("error", `Remove the container of a build step, ${intent.subject}: ${error}`);
      });
    }
  }

  async #remove(intent: Intent): Promise<void> {
    await this.#containers.remove(intent.subject, { force: true, ignore: true, volumes: true, timeout: 0 });
    // Recovery may find it gone.
    this.#core.state.commitLater([this.#core.intents.end(intent)]);
  }
}

/** A container of a step. */
export interface StepContainer extends AsyncDisposable {
  readonly id: string;
  /** Leaves it where it is. */
  keep(): void;
  readonly isKept: boolean;
}
