import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { api, chan, handler, HTTPError, implement, int64, link, rest } from "../../../lib/rest/mod.ts";
import { events, type ReplayOptions, replayWindow } from "../../../lib/rest/events.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const counter = api("x", { Count: rest("GET /count?of=%v", [int64], [chan(int64)]) });

/** A source that yields what it is given to, and tells whether it was let go. */
function tap() {
  const state = { opened: 0, read: 0, returned: 0 };
  let last = 0n;
  let allowed = 0;
  let wake = () => {};
  async function* open() {
    state.opened++;
    try {
      for (;;) {
        while (allowed === 0) await new Promise<void>((resolve) => wake = resolve);
        allowed--;
        state.read++;
        yield ++last;
      }
    } finally {
      state.returned++;
    }
  }
  const give = (count: number) => {
    allowed += count;
    wake();
  };
  return { open, give, state };
}

function served(open: (of: bigint) => AsyncIterable<bigint>, options?: ReplayOptions) {
  const window = replayWindow<bigint>(options);
  const serve = handler(null, implement(counter, { Count: (of) => window(of, () => open(of)) }));
  const get = (last?: string, signal?: AbortSignal) => {
    const headers = { accept: "text/event-stream", ...last && { "last-event-id": last } };
    return serve(new Request("http://h/count?of=1", { headers, signal }));
  };
  return { window, serve, get, [Symbol.dispose]: () => window.close() };
}

/** The next events of a response as `[id, data]`, then leaves it. */
async function take(response: Response, count: number): Promise<[string, string][]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const seen = () =>
    [...text.matchAll(/id: (.*)\ndata: (.*)\n\n/g)].map(([, id, data]): [string, string] => [id, data]);
  while (seen().length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return seen();
}

async function* three() {
  yield* [1n, 2n, 3n];
}

Deno.test("replayWindow() gives a client that comes back what it has missed", async () => {
  const { open, give, state } = tap();
  using one = served(open);
  give(2);
  const seen = await take(await one.get(), 2);
  assertEquals(seen.map(([, data]) => data), ["1", "2"]);
  give(3);
  await untilTrue(() => state.read === 5);
  assertEquals((await take(await one.get(seen[0][0]), 4)).map(([, data]) => data), ["2", "3", "4", "5"]);
  assertEquals(state.opened, 1);
});

Deno.test("replayWindow() answers 410 when the window has passed on, or the ID is of another source", async () => {
  const { open, give } = tap();
  using one = served(open, { count: 3 });
  give(10);
  const [[first], , , [fourth]] = await take(await one.get(), 10);
  const answer = await one.get(first);
  assertEquals([answer.status, (await answer.json()).detail], [
    410,
    `Resume after "${first}": the values behind it are kept no more`,
  ]);
  for (const id of [fourth, "nonsense", `${first.split(".")[0]}.99`, "00000000.9"]) {
    const { status, body } = await one.get(id);
    await body?.cancel();
    assertEquals(status, 410, id);
  }
  using other = served(open);
  const { status, body } = await other.get(first);
  await body?.cancel();
  assertEquals(status, 410);
});

Deno.test("replayWindow() keeps no more bytes than it may", async () => {
  const { open, give } = tap();
  using one = served(open, { bytes: 4 });
  give(9);
  const ids = (await take(await one.get(), 9)).map(([id]) => id);
  assertEquals((await take(await one.get(ids[4]), 4)).map(([, data]) => data), ["6", "7", "8", "9"]);
  const { status, body } = await one.get(ids[3]);
  await body?.cancel();
  assertEquals(status, 410);
});

Deno.test("replayWindow() shares a source by its key, and gives newcomers what comes from then on", async () => {
  const { open, give, state } = tap();
  using one = served(open);
  using recent = served(open, { recent: 2 });
  for (const [{ get }, expected] of [[one, []], [recent, ["2", "3"]]] as const) {
    const before = state.read;
    const first = await get();
    const firsts = take(first, 4);
    give(3);
    await untilTrue(() => state.read === before + 3);
    const second = take(await get(), expected.length + 1);
    give(1);
    const [ones, twos] = await Promise.all([firsts, second]);
    assertEquals(twos.slice(-1), ones.slice(-1));
    assertEquals(twos.length, expected.length + 1);
  }
  assertEquals(state.opened, 2);
});

Deno.test("replayWindow() reads on without a caller until the window is full, then lets go", async () => {
  const { open, give, state } = tap();
  using one = served(open, { count: 5, linger: 1500 });
  give(1);
  const [[id]] = await take(await one.get(), 1);
  give(100);
  await untilTrue(() => state.read >= 6);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(state.read, 6);
  assertEquals((await take(await one.get(id), 5)).length, 5);
  await untilTrue(() => state.returned === 1);
  const { status, body } = await one.get(id);
  await body?.cancel();
  assertEquals(status, 410);
});

Deno.test("replayWindow() keeps the end and the failure of a source", async () => {
  using ended = served(three);
  const all = await take(await ended.get(), 3);
  assertEquals((await ended.get(all[2][0])).status, 204);
  assert((await (await ended.get(all[1][0])).text()).endsWith("data: 3\n\nevent: end\ndata: \n\n"));
  // A caller that has seen nothing begins anew.
  assertEquals((await take(await ended.get(), 3)).map(([, data]) => data), ["1", "2", "3"]);
  using failing = served(async function* () {
    yield 1n;
    await Promise.resolve();
    throw new HTTPError(503, "Count: out of numbers");
  });
  const text = await (await failing.get()).text();
  assert(text.includes(`event: error\ndata: "Count: out of numbers"`), text);
  const again = await failing.get(/id: (.*)/.exec(text)![1]);
  assertEquals([again.status, (await again.json()).detail], [503, "Count: out of numbers"]);
});

Deno.test("replayWindow() bounds the sources that nobody reads", async () => {
  const returned: bigint[] = [];
  async function* forever(of: bigint) {
    try {
      for (let n = 0n;; n++) {
        yield n;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      returned.push(of);
    }
  }
  const window = replayWindow<bigint>({ idle: 1 });
  for (const key of [1n, 2n, 3n]) {
    for await (const _ of window(key, () => forever(key))) break;
  }
  await untilTrue(() => returned.length === 2);
  assertEquals(returned, [1n, 2n]);
  window.close();
});

Deno.test("replayWindow() and events() lose nothing over broken connections", async () => {
  using one = served(async function* () {
    for (let n = 1n; n <= 50n; n++) {
      yield n;
      if (n % 5n === 0n) await new Promise((resolve) => setTimeout(resolve));
    }
  });
  let calls = 0;
  const fetch = async (request: Request) => {
    const response = await one.serve(request);
    if (++calls > 4) return response;
    let pieces = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        if (++pieces > 2) throw new TypeError("connection reset");
        controller.enqueue(piece);
      },
    });
    return new Response(response.body!.pipeThrough(cut), response);
  };
  const client = link(counter, "http://h", events({ fetch }, { wait: 1 }));
  const seen = await Array.fromAsync(await client.Count(1n));
  assertEquals(seen, Array.from({ length: 50 }, (_, n) => BigInt(n + 1)));
  assert(calls > 1);
});

Deno.test("replayWindow() refuses numbers that are none", async () => {
  assertThrows(() => replayWindow({ count: NaN }), RangeError, "count is NaN");
  const window = replayWindow<bigint>();
  const failing = window(1, () => {
    throw new HTTPError(404, "Open: there is none");
  });
  await assertRejects(() => Array.fromAsync(failing), HTTPError, "there is none");
  window.close();
});

Deno.test("replayWindow() tells a source that waits for its next value when it is let go", async () => {
  const ended: string[] = [];
  async function* watch(signal: AbortSignal) {
    try {
      yield 1n;
      // An event that never comes.
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    } finally {
      ended.push("ended");
    }
  }
  for (const linger of [0, 1e9]) {
    const window = replayWindow<bigint>({ linger });
    const serve = handler(null, implement(counter, { Count: (of) => window(of, watch) }));
    const stop = new AbortController();
    const headers = { accept: "text/event-stream" };
    const response = await serve(new Request("http://h/count?of=1", { headers, signal: stop.signal }));
    const reader = response.body!.getReader();
    assert(new TextDecoder().decode((await reader.read()).value).includes("data: 1\n"));
    await reader.cancel();
    // One is let go by its timer, and the other by hand.
    if (linger > 0) window.close();
    for (let i = 0; i < 10_000 && ended.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 1));
    assertEquals(ended.splice(0), ["ended"]);
  }
});
