import type { Bench, Line } from "./engine_bench.ts";
import { inTurn, ROUNDS } from "./in_turn.ts";
import type { Peer } from "./peers.ts";

/** Runs of `exec` that are averaged. */
const EXECS = 20;
/** Lines of the log that is read, 100 bytes each. */
const LOG_LINES = 200_000;
/** Events whose way is timed. */
const EVENTS = 20;

/** Measures what streams: exec, logs and events, on both peers in turn. */
export async function* streamLines({ gantry, podman, image }: Bench): AsyncGenerator<Line> {
  const both = (work: (peer: Peer) => Promise<number>) => inTurn({ gantry, podman }, ROUNDS, work);
  yield { what: "exec true", unit: "ms", higher: false, aim: 4, ...await both((peer) => execs(peer, image)) };
  const terminal = await both((peer) => execs(peer, image, true));
  yield { what: "exec true with a terminal", unit: "ms", higher: false, ...terminal };
  yield { what: "logs of 20 MB", unit: "MB/s", higher: true, aim: 10, ...await both((peer) => logs(peer, image)) };
  yield { what: "event after its answer", unit: "ms", higher: false, ...await both((peer) => eventLag(peer, image)) };
}

async function run(peer: Peer, image: string, command: string[]): Promise<string> {
  const body = { image, command, netns: { nsmode: "none" }, log_configuration: { driver: "k8s-file" } };
  const { Id } = JSON.parse(await peer.call("POST", "/containers/create", body));
  await peer.call("POST", `/containers/${Id}/start`);
  return Id;
}

async function execs(peer: Peer, image: string, Tty = false): Promise<number> {
  const id = await run(peer, image, ["sleep", "1000"]);
  const one = async () => {
    const body = { Cmd: ["true"], AttachStdout: true, AttachStderr: true, Tty };
    const { Id } = JSON.parse(await peer.call("POST", `/containers/${id}/exec`, body));
    await peer.call("POST", `/exec/${Id}/start`, { Tty });
  };
  await one();
  const from = performance.now();
  for (let i = 0; i < EXECS; i++) await one();
  return (performance.now() - from) / EXECS;
}

async function logs(peer: Peer, image: string): Promise<number> {
  const line = "x".repeat(99);
  const id = await run(peer, image, ["sh", "-c", `yes ${line} | head -n ${LOG_LINES}`]);
  await peer.call("POST", `/containers/${id}/wait?condition=exited`);
  const from = performance.now();
  const text = await peer.call("GET", `/containers/${id}/logs?stdout=true&stderr=true`);
  const seconds = (performance.now() - from) / 1000;
  // Frames may cut a line: its letters are counted, which no head of a frame has.
  const count = text.split("x").length - 1;
  if (count !== LOG_LINES * line.length) throw new Error(`${peer.name}: the log has ${count} letters`);
  return LOG_LINES * 100 / 1e6 / seconds;
}

/** Milliseconds between the answer to a rename and its event; 0 for events that are faster than their answer. */
async function eventLag(peer: Peer, image: string): Promise<number> {
  const { Id } = JSON.parse(await peer.call("POST", "/containers/create", { image, netns: { nsmode: "none" } }));
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: peer.socket } });
  const response = await fetch("http://d/v4.3.1/libpod/events", { client });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let total = 0;
  for (let i = 0; i < EVENTS; i++) {
    const name = `bench-${crypto.randomUUID()}`;
    const seen = until(reader, `"${name}"`);
    await peer.call("POST", `/containers/${Id}/rename?name=${name}`);
    const answered = performance.now();
    total += Math.max(0, await seen - answered);
  }
  await reader.cancel();
  client.close();
  return total / EVENTS;
}

/** When a text came out of a stream. */
async function until(reader: ReadableStreamDefaultReader<string>, text: string): Promise<number> {
  for (let seen = "";;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The events ended before ${text}`);
    seen += value;
    if (seen.includes(text)) return performance.now();
  }
}
