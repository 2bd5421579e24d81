/** Every state by every operation, on a real host, with Podman's answers; and many operations on one container at once. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { seeded } from "../../fixtures/engine/fake_engine.ts";
import { Session } from "../../fixtures/session.ts";

const STATES = ["created", "initialized", "running", "paused", "stopping", "exited"] as const;
type State = typeof STATES[number];

const IMPROPER = ": container state improper";
const CREATE_EXEC = `can only create exec sessions on running containers${IMPROPER}`;
const UNPAUSE = `"ID" is not paused, can't unpause${IMPROPER}`;
const PAUSE = `"STATE" is not running, can't pause${IMPROPER}`;
const KILL = `can only kill running containers. ID is in state STATE${IMPROPER}`;
const START = `container ID must be in Created or Stopped state to be started${IMPROPER}`;
const STOP = `can only stop created or running containers. ID is in state STATE${IMPROPER}`;
const RESTART = `unable to restart a container in a paused or unknown state${IMPROPER}`;
const RESIZE = `can only resize created or running containers${IMPROPER}`;
const TOP = "top can only be used on running containers";
const UNMOUNT = `cannot unmount storage for container ID as it is running or paused${IMPROPER}`;
const CHECK = "container ID is not running";
const REMOVE =
  "cannot remove container ID as it is STATE - running or paused containers cannot be removed without force" +
  IMPROPER;

/** A status; with the state after it where that is another one, or the error's text. */
type Answer = number | [status: number, then: State | "gone"] | [status: number, text: string];

/** How an operation is asked for, which trees have it, and what it answers in each state, in the order of {@linkcode STATES}. */
interface Row {
  call: [method: string, path: string, body?: unknown];
  trees: "both" | "native";
  answers: Answer[];
  /**
   * The answers of Docker's tree in states that Docker sees in another way: it lets a paused container go on and end, and one that is being
   * stopped runs.
   */
  docker?: Partial<Record<State, Answer>>;
  /** The status of all refusals in Docker's tree, where it is another one there. */
  dockerRefusal?: number;
}

const all = (answer: Answer): Answer[] => STATES.map(() => answer);

const TABLE: Record<string, Row> = {
  init: {
    call: ["POST", "/init"],
    trees: "native",
    answers: [[204, "initialized"], 304, 304, 304, 304, [204, "initialized"]],
  },
  start: {
    call: ["POST", "/start"],
    trees: "both",
    answers: [[204, "running"], [204, "running"], 304, [500, START], [500, START], [204, "running"]],
  },
  stop: {
    call: ["POST", "/stop?timeout=0&t=0"],
    trees: "both",
    answers: [204, [204, "exited"], [204, "exited"], [500, STOP], [204, "exited"], 304],
    docker: { paused: [204, "exited"] },
  },
  restart: {
    call: ["POST", "/restart?timeout=0&t=0"],
    trees: "both",
    answers: [[204, "running"], [204, "running"], 204, [500, RESTART], [500, RESTART], [204, "running"]],
    docker: { paused: [204, "running"] },
  },
  kill: {
    call: ["POST", "/kill?signal=KILL"],
    trees: "both",
    answers: [[409, KILL], [409, KILL], [204, "exited"], [204, "exited"], [204, "exited"], [409, KILL]],
  },
  pause: {
    call: ["POST", "/pause"],
    trees: "both",
    answers: [
      ...[[500, PAUSE], [500, PAUSE], [204, "paused"]] satisfies Answer[],
      ...[[500, `"ID" is already paused${IMPROPER}`], [500, PAUSE], [500, PAUSE]] satisfies Answer[],
    ],
    dockerRefusal: 409,
  },
  unpause: {
    call: ["POST", "/unpause"],
    trees: "both",
    answers: [
      ...[[500, UNPAUSE], [500, UNPAUSE], [500, UNPAUSE]] satisfies Answer[],
      ...[[204, "running"], [500, UNPAUSE], [500, UNPAUSE]] satisfies Answer[],
    ],
  },
  "exec create": {
    call: ["POST", "/exec", { Cmd: ["true"], AttachStdout: true }],
    trees: "both",
    answers: [
      ...[[409, CREATE_EXEC], [409, CREATE_EXEC], 201] satisfies Answer[],
      ...[[409, `cannot create exec session as container ID is paused${IMPROPER}`]] satisfies Answer[],
      ...[[409, CREATE_EXEC], [409, CREATE_EXEC]] satisfies Answer[],
    ],
    docker: { stopping: 201 },
  },
  resize: {
    call: ["POST", "/resize?h=10&w=20"],
    trees: "both",
    answers: [[409, RESIZE], 200, 200, [409, RESIZE], [409, RESIZE], [409, RESIZE]],
  },
  top: {
    call: ["GET", "/top"],
    trees: "both",
    answers: [[500, TOP], [500, TOP], 200, [500, TOP], [500, TOP], [500, TOP]],
    dockerRefusal: 409,
  },
  healthcheck: {
    call: ["GET", "/healthcheck"],
    trees: "native",
    answers: [
      ...[[409, CHECK], [409, CHECK], [409, "container ID has no defined healthcheck"]] satisfies Answer[],
      ...[[409, CHECK], [409, CHECK], [409, CHECK]] satisfies Answer[],
    ],
  },
  unmount: {
    call: ["POST", "/unmount"],
    trees: "native",
    answers: [204, [500, UNMOUNT], [500, UNMOUNT], [500, UNMOUNT], [500, UNMOUNT], 204],
  },
  wait: { call: ["POST", "/wait?condition=STATE"], trees: "native", answers: all(200) },
  rename: { call: ["POST", "/rename?name=OTHER"], trees: "both", answers: all(204) },
  stats: { call: ["GET", "/stats?stream=false&one-shot=true"], trees: "both", answers: all(200) },
  logs: { call: ["GET", "/logs?stdout=true"], trees: "both", answers: all(200) },
  archive: { call: ["GET", "/archive?path=/etc/passwd"], trees: "both", answers: all(200) },
  export: { call: ["GET", "/export"], trees: "both", answers: all(200) },
  update: { call: ["POST", "/update", {}], trees: "native", answers: all(201) },
  changes: { call: ["GET", "/changes"], trees: "both", answers: all(200) },
  inspect: { call: ["GET", "/json"], trees: "both", answers: all(200) },
  exists: { call: ["GET", "/exists"], trees: "native", answers: all(204) },
  mount: { call: ["POST", "/mount"], trees: "native", answers: [200, 200, 200, 200, 200, 200] },
  remove: {
    call: ["DELETE", ""],
    trees: "native",
    answers: [[200, "gone"], [200, "gone"], [500, REMOVE], [500, REMOVE], [500, REMOVE], [200, "gone"]],
  },
  "remove by force": { call: ["DELETE", "?force=true&timeout=0"], trees: "native", answers: all([200, "gone"]) },
};

Deno.test("every operation answers in every state what Podman answers", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  await server.podman("pull", "-q", image);
  let count = 0;

  /** Makes a container in a state. */
  async function enter(state: State): Promise<string> {
    const stubborn = ["sh", "-c", "trap : TERM; echo ready; while :; do sleep 0.1; done"];
    const command = state === "stopping" ? stubborn : ["sleep", "1000"];
    const body = { image, name: `c${count++}`, command, terminal: true, netns: { nsmode: "none" } };
    const id = (await (await server.request("POST", "/libpod/containers/create", { body })).json()).Id;
    const post = async (path: string) => void await server.request("POST", `/libpod/containers/${id}/${path}`);
    if (state === "initialized") await post("init");
    else if (state !== "created") await post("start");
    if (state === "paused") await post("pause");
    if (state === "exited") await post("stop?timeout=0");
    if (state === "stopping") {
      while (!(await (await server.request("GET", `/libpod/containers/${id}/logs?stdout=1`)).text()).includes("ready"));
      // Answers when somebody else has ended it.
      void post("stop?timeout=600").catch(() => {});
      while (await stateOf(id) !== state);
    }
    return id;
  }

  async function stateOf(id: string): Promise<string> {
    const reply = await server.request("GET", `/libpod/containers/${id}/json`);
    return reply.status === 404 ? "gone" : (await reply.json()).State.Status;
  }

  async function check(name: string, tree: string, state: State, id: string): Promise<void> {
    const { call: [method, path, body] } = TABLE[name];
    const answer = answerOf(name, tree, state);
    const [status, then] = typeof answer === "number" ? [answer] : answer;
    const url = `${tree}/containers/${id}${path.replace("STATE", state).replace("OTHER", `n${count++}`)}`;
    const reply = await server.request(method, url, { body });
    const text = await reply.text();
    assertEquals(reply.status, status, `${tree} ${name} of ${state}: ${text}`);
    if (status >= 400) assertEquals(JSON.parse(text).message, then?.replace("ID", id).replace("STATE", state));
    assertEquals(await stateOf(id), status < 400 && then || state, `${tree} ${name} of ${state}`);
  }

  function answerOf(name: string, tree: string, state: State): Answer {
    const { answers, docker, dockerRefusal } = TABLE[name];
    const answer = answers[STATES.indexOf(state)];
    if (tree !== "") return answer;
    const ofDocker = docker?.[state];
    if (ofDocker !== undefined) return ofDocker;
    const isRefusal = typeof answer !== "number" && answer[0] >= 400;
    return isRefusal && dockerRefusal !== undefined ? [dockerRefusal, answer[1]] : answer;
  }

  const changes = (name: string, tree: string, state: State) => {
    const answer = answerOf(name, tree, state);
    return name === "restart" || (typeof answer !== "number" && answer[0] < 400);
  };
  // All states at once: what is waited for is mostly the kernel.
  await Promise.all(STATES.map((state) =>
    t.step({
      name: state,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        const same = await enter(state);
        for (const [name, { trees }] of Object.entries(TABLE)) {
          for (const tree of trees === "both" ? ["/libpod", ""] : ["/libpod"]) {
            if (name === "wait" && state === "stopping") continue;
            await check(name, tree, state, changes(name, tree, state) ? await enter(state) : same);
          }
        }
      },
    })
  ));

  await t.step("many operations on one container at once neither hang nor leave it half-way", async () => {
    const id = await enter("running");
    const random = seeded(7);
    const operations = ["start", "stop?timeout=0", "restart?timeout=0", "kill?signal=KILL", "pause", "unpause", "init"];
    const client = async () => {
      for (let i = 0; i < 12; i++) {
        const path = operations[Math.floor(random() * operations.length)];
        const reply = await server.request("POST", `/libpod/containers/${id}/${path}`);
        assert([204, 304, 409, 500].includes(reply.status), `${path}: ${reply.status}`);
        const text = await reply.text();
        if (reply.status >= 400) assert(/state improper|has ended|not running/.test(text), `${path}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: 6 }, client));
    const { State } = await (await server.request("GET", `/libpod/containers/${id}/json`)).json();
    assertEquals(State.Pid !== 0, ["initialized", "running", "paused", "stopping"].includes(State.Status));
    if (State.Pid !== 0) assert((await Deno.stat(`/proc/${State.Pid}`)).isDirectory);
    assertEquals((await server.request("DELETE", `/libpod/containers/${id}?force=true&timeout=0`)).status, 200);
  });
});

Deno.test("a container that is killed while it has no time left to run is not frozen before it has died", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  await server.podman("pull", "-q", image);
  const limits = { cpu: { quota: 1000, period: 100_000 } };
  const command = ["sh", "-c", "while :; do :; done"];
  const body = { image, command, netns: { nsmode: "none" }, resource_limits: limits };
  const { Id } = await (await server.request("POST", "/libpod/containers/create", { body })).json();
  const post = (path: string) => server.request("POST", `/libpod/containers/${Id}/${path}`);
  for (let round = 0; round < 3; round++) {
    assertEquals((await post("start")).status, 204);
    const [killed, paused] = await Promise.all([post("kill"), post("pause")]);
    assertEquals(killed.status, 204);
    // A pause that comes first is ended by the kill.
    if (paused.status !== 204) assertMatch((await paused.json()).message, /^"exited" is not running, can't pause/);
  }
  assertEquals((await server.request("DELETE", `/libpod/containers/${Id}`)).status, 200);
});

Deno.test("containers that live in another one's namespaces start after it, and go before it", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const statuses = async () => {
    const shown = await podman("ps", "-a", "--sort", "names", "--format", "{{.Names}} {{.Status}}");
    return shown.trim().split("\n").map((line) => line.split(" ").slice(0, 2).join(" "));
  };
  await podman("pull", "-q", image);
  await podman("run", "-d", "--network=none", "--name", "base", "--stop-timeout", "0", image, "sleep", "1000");
  const shares = ["--network", "container:base", "--pid", "container:base"];
  await podman("run", "-d", ...shares, "--name", "leaf", "--stop-timeout", "0", image, "sleep", "1000");
  const patience = ["--stop-timeout", "0"];
  await podman("run", "-d", "--network", "container:leaf", "--name", "tip", ...patience, image, "sleep", "1000");
  const refused = await server.podman("rm", "-f", "base");
  assertMatch(refused.stderr, /has dependent containers which must be removed before it: [0-9a-f]{64}/);
  await podman("stop", "tip", "leaf", "base");
  assertEquals(await statuses(), ["base Exited", "leaf Exited", "tip Exited"]);
  await podman("start", "tip");
  assertEquals(await statuses(), ["base Up", "leaf Up", "tip Up"]);
  assertEquals((await podman("rm", "-f", "--depend", "base")).trim().split("\n").length, 3);
  assertEquals(await statuses(), [""]);
});
