import { buildTar } from "../../fixtures/images/tar_builder.ts";

/** What a container may be in, as far as the model tells states apart. */
export type Status = "created" | "initialized" | "running" | "paused" | "exited";

/** A container as the model sees it; `undefined` stands for one that is gone. */
export interface Model {
  status: Status;
  /** What inspection shows as exit code. */
  code: number;
  name: string;
  /** What the file `/mark` holds, or `undefined` where there is none. */
  mark?: string;
}

/** What an operation answers in a state, and what it leaves. */
export interface Outcome {
  status: number;
  after: Model | undefined;
}

/** A random choice made before a request is sent, so that the prediction knows it. */
export interface Choice {
  /** A name nobody has. */
  name: string;
  /** A name another container has. */
  taken: string;
  /** A small number: an exit code, or what is written to a file. */
  number: number;
}

/** One operation: how it is asked for, and what it does in every state there is. */
export interface Operation {
  /** Asks for it; the requests of one operation follow each other. Gives the status of the last one. */
  send(request: Send, id: string, choice: Choice): Promise<number>;
  /** What it does with a container that is there. */
  outcome(model: Model, choice: Choice): Outcome;
  /** States a server that dies in the middle may leave besides the one before and the one after. */
  between?(model: Model): Model[];
}

/** Sends a request to the server under test; throws when the server is gone. */
export type Send = (
  method: string,
  path: string,
  body?: unknown | Uint8Array,
) => Promise<{ status: number; text: string }>;

/** What the names of images made in the model begin with. */
export const IMAGES = "localhost/model";

const KILLED = 137;
/** The exit code of an end nobody saw. */
const UNKNOWN = -1;

function ask(method: string, path: (id: string, choice: Choice) => string): Operation["send"] {
  return async (request, id, choice) => (await request(method, path(id, choice))).status;
}

function post(
  action: string,
  outcome: Operation["outcome"],
  between?: Operation["between"],
): Operation {
  return { send: ask("POST", (id) => `/libpod/containers/${id}/${action}`), outcome, between };
}

function ended(model: Model): Model {
  return { ...model, status: "exited", code: KILLED };
}

/** A process is made anew: what its last one answered is forgotten. */
function fresh(model: Model, status: Status): Model {
  return { ...model, status, code: 0 };
}

/** A process made and never started, whose removal was cut: nobody is left to tell how it ended. */
function abandoned(model: Model): Model[] {
  if (model.status !== "initialized") return [];
  return [fresh(model, "created"), ended(model), { ...model, status: "exited", code: UNKNOWN }];
}

const unchanged = (status: number) => (model: Model): Outcome => ({ status, after: model });

function refusedExec(model: Model): Outcome {
  return { status: 409, after: model };
}

/** What a shell command in a container said, and its exit code; or the status of the request that was refused. */
interface ExecResult {
  status: number;
  output: string;
}

/**
 * Runs a shell command to its end. Raw streams end where their connection does, so a server that dies looks like one that
 * is done: a last line tells them apart, and without it this throws.
 */
async function runExec(request: Send, id: string, command: string): Promise<ExecResult> {
  const body = {
    Cmd: ["sh", "-c", `out=$(${command}); code=$?; printf '%s\\nEND\\n' "$out"; exit $code`],
    AttachStdout: true,
  };
  const created = await request("POST", `/libpod/containers/${id}/exec`, body);
  if (created.status !== 201) return { status: created.status, output: "" };
  const session = `/libpod/exec/${JSON.parse(created.text).Id}`;
  const started = await request("POST", `${session}/start`, {});
  if (started.status !== 200) return { status: started.status, output: "" };
  // It is written at once: one frame, with eight bytes of head.
  const output = started.text.slice(8);
  if (!output.endsWith("END\n")) throw new Error(`The output was cut: ${output}`);
  const { Running, ExitCode } = JSON.parse((await request("GET", `${session}/json`)).text);
  if (Running) throw new Error("The output ended before the process");
  return { status: ExitCode, output: output.slice(0, -4) };
}

async function exec(request: Send, id: string, command: string): Promise<number> {
  return (await runExec(request, id, command)).status;
}

/** Makes an image of it and removes that again; gives the status of the first. */
async function commit(request: Send, id: string, { name }: Choice): Promise<number> {
  const { status } = await request("POST", `/libpod/commit?container=${id}&repo=${IMAGES}/${name}`);
  if (status === 200) await request("DELETE", `/libpod/images/${IMAGES}/${name}?force=true`);
  return status;
}

/** Every operation of the model, by name. The containers' program is `sleep`, which ends by SIGKILL only. */
export const OPERATIONS: Record<string, Operation> = {
  init: post("init", (model) => {
    if (model.status !== "created" && model.status !== "exited") return { status: 304, after: model };
    return { status: 204, after: fresh(model, "initialized") };
  }),
  start: post("start", (model) => {
    if (model.status === "running") return { status: 304, after: model };
    if (model.status === "paused") return { status: 500, after: model };
    return { status: 204, after: fresh(model, "running") };
  }, (model) => model.status === "initialized" ? [] : [fresh(model, "initialized")]),
  stop: post("stop?timeout=0", (model) => {
    if (model.status === "exited") return { status: 304, after: model };
    if (model.status === "paused") return { status: 500, after: model };
    return { status: 204, after: model.status === "created" ? model : ended(model) };
  }),
  kill: post("kill", (model) => {
    if (model.status !== "running" && model.status !== "paused") return { status: 409, after: model };
    return { status: 204, after: ended(model) };
  }),
  "kill without effect": post("kill?signal=USR1", (model) => {
    return { status: model.status === "running" || model.status === "paused" ? 204 : 409, after: model };
  }),
  pause: post("pause", (model) => {
    return model.status === "running"
      ? { status: 204, after: { ...model, status: "paused" } }
      : { status: 500, after: model };
  }),
  unpause: post("unpause", (model) => {
    return model.status === "paused"
      ? { status: 204, after: { ...model, status: "running" } }
      : { status: 500, after: model };
  }),
  restart: post("restart?timeout=0", (model) => {
    return model.status === "paused" ? { status: 500, after: model } : { status: 204, after: fresh(model, "running") };
  }, (model) => [ended(model), fresh(model, "initialized")]),
  rename: {
    send: ask("POST", (id, { name }) => `/libpod/containers/${id}/rename?name=${name}`),
    outcome: (model, { name }) => ({ status: 204, after: { ...model, name } }),
  },
  "rename to a name in use": {
    send: ask("POST", (id, { taken }) => `/libpod/containers/${id}/rename?name=${taken}`),
    outcome: unchanged(409),
  },
  exists: { send: ask("GET", (id) => `/libpod/containers/${id}/exists`), outcome: unchanged(204) },
  logs: {
    send: ask("GET", (id) => `/libpod/containers/${id}/logs?stdout=true&stderr=true`),
    outcome: unchanged(200),
  },
  top: {
    send: ask("GET", (id) => `/libpod/containers/${id}/top?stream=false`),
    outcome: (model) => ({ status: model.status === "running" ? 200 : 500, after: model }),
  },
  /** Writes a file by a further process; at once, so that a cut leaves no half of it. */
  mark: {
    send: (request, id, { number }) => exec(request, id, `echo ${number} > /mark.new; mv /mark.new /mark`),
    outcome: (model, { number }) => {
      return model.status === "running" ? { status: 0, after: { ...model, mark: `${number}` } } : refusedExec(model);
    },
  },
  "put a file": {
    send: async (request, id, { number }) => {
      const tar = buildTar([{ type: "file", path: "mark", content: `${number}\n` }]);
      return (await request("PUT", `/libpod/containers/${id}/archive?path=/`, tar)).status;
    },
    outcome: (model, { number }) => ({ status: 200, after: { ...model, mark: `${number}` } }),
  },
  changes: { send: ask("GET", (id) => `/libpod/containers/${id}/changes`), outcome: unchanged(200) },
  commit: { send: commit, outcome: unchanged(200) },
  exec: {
    send: (request, id, { number }) => exec(request, id, `exit ${number}`),
    outcome: (model, { number }) => model.status === "running" ? { status: number, after: model } : refusedExec(model),
  },
  remove: {
    send: ask("DELETE", (id) => `/libpod/containers/${id}`),
    outcome: (model) => {
      const runs = model.status === "running" || model.status === "paused";
      return runs ? { status: 500, after: model } : { status: 200, after: undefined };
    },
    between: abandoned,
  },
  "remove by force": {
    send: ask("DELETE", (id) => `/libpod/containers/${id}?force=true&timeout=0`),
    outcome: () => ({ status: 200, after: undefined }),
    between: (model) => [ended(model), ...abandoned(model)],
  },
};

/** Every model a request may have left whose answer never came. */
export function afterCut(operation: Operation, models: readonly (Model | undefined)[], choice: Choice) {
  const possible: (Model | undefined)[] = [];
  for (const model of models) {
    possible.push(model);
    if (!model) continue;
    possible.push(operation.outcome(model, choice).after, ...operation.between?.(model) ?? []);
  }
  return possible;
}
