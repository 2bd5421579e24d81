import { assert, assertEquals } from "@std/assert";
import type { Server } from "../../fixtures/server.ts";
import { until } from "../../fixtures/session.ts";

/** Steps of one sequence. */
const STEPS = 10;

/** The states of a client's network and volume, and of its container's connection. */
interface Model {
  /** Whether the network is there. */
  network: boolean;
  /** Whether the container is in it. */
  connected: boolean;
  /** Whether the volume is there. */
  volume: boolean;
}

/** One operation on the client's own names: its request, its answer in a state, and the state after it. */
interface Operation {
  readonly method: string;
  readonly path: string;
  body?(client: NetworkClient): unknown;
  outcome(model: Model): { status: number; after: Model };
}

const refused = (status: number, after: Model) => ({ status, after });

const OPERATIONS: Record<string, Operation> = {
  "create network": {
    method: "POST",
    path: "networks/create",
    body: ({ name, subnet }) => ({ name, dns_enabled: true, subnets: [{ subnet }] }),
    outcome: (model) => model.network ? refused(409, model) : { status: 200, after: { ...model, network: true } },
  },
  "remove network": {
    method: "DELETE",
    path: "networks/NAME",
    outcome: (model) => {
      if (!model.network) return refused(404, model);
      return model.connected ? refused(500, model) : { status: 200, after: { ...model, network: false } };
    },
  },
  connect: {
    method: "POST",
    path: "networks/NAME/connect",
    body: ({ name }) => ({ container: `${name}-box`, aliases: ["x"] }),
    outcome: (model) => {
      if (!model.network) return refused(404, model);
      return model.connected ? refused(500, model) : { status: 200, after: { ...model, connected: true } };
    },
  },
  disconnect: {
    method: "POST",
    path: "networks/NAME/disconnect",
    body: ({ name }) => ({ Container: `${name}-box` }),
    outcome: (model) => {
      if (!model.network) return refused(404, model);
      return model.connected ? { status: 200, after: { ...model, connected: false } } : refused(500, model);
    },
  },
  "create volume": {
    method: "POST",
    path: "volumes/create",
    body: ({ name }) => ({ Name: name, Label: { of: "model" } }),
    outcome: (model) => model.volume ? refused(500, model) : { status: 201, after: { ...model, volume: true } },
  },
  "remove volume": {
    method: "DELETE",
    path: "volumes/NAME",
    outcome: (model) => model.volume ? { status: 204, after: { ...model, volume: false } } : refused(404, model),
  },
  "use volume": {
    method: "GET",
    path: "volumes/NAME/export",
    outcome: (model) => refused(model.volume ? 200 : 404, model),
  },
};

/** A client that drives a network, a volume and connections of its own by random operations, and compares what it sees with the model. */
export class NetworkClient {
  readonly name: string;
  readonly subnet: string;
  /** Requests that a dying server left without an answer. */
  cut = 0;
  /** Operations asked for so far, answered or not: kills come after a further one. */
  asked = 0;
  readonly #server: Server;
  readonly #image: string;
  readonly #random: () => number;
  #model: Model = { network: false, connected: false, volume: false };
  #pid = 0;

  /** `index` tells the client's names and subnet from others'; `random` gives numbers in [0, 1). */
  constructor(server: Server, image: string, index: number, random: () => number) {
    this.name = `lan${index}`;
    this.subnet = `10.68.${index}.0/24`;
    this.#server = server;
    this.#image = image;
    this.#random = random;
  }

  /** Starts the container, on a network that stays. */
  async begin(home: string): Promise<void> {
    const networks = { [home]: {} };
    const body = {
      image: this.#image,
      name: `${this.name}-box`,
      command: ["sleep", "10000"],
      netns: { nsmode: "bridge" },
    };
    assertEquals((await this.#send("POST", "containers/create", { ...body, networks })).status, 201);
    assertEquals((await this.#send("POST", `containers/${this.name}-box/start`)).status, 204);
    this.#pid = JSON.parse((await this.#send("GET", `containers/${this.name}-box/json`)).text).State.Pid;
  }

  /** Runs some operations, and looks after each. */
  async sequence(): Promise<void> {
    const names = Object.keys(OPERATIONS);
    const story: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      const name = names[Math.floor(this.#random() * names.length)];
      story.push(name);
      this.#model = await this.#seen(await this.#step(OPERATIONS[name], story), story);
    }
  }

  /** Removes the container and what is left of the names. */
  async end(): Promise<void> {
    const paths = [`containers/${this.name}-box?force=true&timeout=0`, `networks/${this.name}`, `volumes/${this.name}`];
    for (const path of paths) await until(() => this.#send("DELETE", path));
  }

  /** Does one operation; gives the states it may have left. */
  async #step(operation: Operation, story: readonly string[]): Promise<Model[]> {
    const { status: expected, after } = operation.outcome(this.#model);
    const path = operation.path.replace("NAME", this.name);
    this.asked++;
    try {
      const { status, text } = await this.#send(operation.method, path, operation.body?.(this));
      assertEquals(status, expected, `${this.name}: ${story.join(", ")}: ${text.slice(0, 300)}`);
      return [after];
    } catch (error) {
      if (error instanceof Error && error.name === "AssertionError") throw error;
      this.cut++;
      return [this.#model, after];
    }
  }

  /** Waits until the server shows one of these states, and the kernel the same. */
  #seen(models: readonly Model[], story: readonly string[]): Promise<Model> {
    return until(async () => {
      const there = async (path: string) => (await this.#send("GET", `${path}/exists`)).status === 204;
      const { text } = await this.#send("GET", `containers/${this.name}-box/json`);
      const joined = Object.keys(JSON.parse(text).NetworkSettings.Networks);
      const seen: Model = {
        network: await there(`networks/${this.name}`),
        connected: joined.includes(this.name),
        volume: await there(`volumes/${this.name}`),
      };
      const told = `${this.name}: ${story.join(", ")}`;
      assert(
        models.some((model) => JSON.stringify(model) === JSON.stringify(seen)),
        `${told}: ${JSON.stringify(seen)}`,
      );
      const devices = (await Deno.readTextFile(`/proc/${this.#pid}/net/dev`)).match(/^\s*eth\d+:/gm) ?? [];
      assertEquals(devices.length, joined.length, `${told}: ${joined} by ${devices}`);
      return seen;
    }, 180_000);
  }

  async #send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const response = await this.#server.request(method, `/v5.0.0/libpod/${path}`, { body });
    return { status: response.status, text: await response.text() };
  }
}
