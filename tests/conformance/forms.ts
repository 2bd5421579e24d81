/** Forms whose files are streams, as scenarios against the sample served at a URL, whatever runtime serves it. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { link } from "../../lib/rest/mod.ts";
import { later } from "../fixtures/platform/raw_client.ts";
import { album } from "./sample.ts";

/** A scenario against the sample at `url`. */
export type FormScenario = (url: string) => Promise<void>;

const text = async (body: ReadableStream) => await new Response(body).text();

async function untilNoted(url: string, pattern: RegExp): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const entries: string[] = await (await fetch(`${url}/diary`)).json();
    if (entries.some((entry) => pattern.test(entry))) return;
    await later(20);
  }
  throw new Error(`The diary has nothing like ${pattern}`);
}

/** Endless pieces; `state` tells whether their reader has left them. */
function endless() {
  const state = { returned: false };
  async function* make() {
    try {
      for (;;) {
        yield new Uint8Array(65_536);
        await later(1);
      }
    } finally {
      state.returned = true;
    }
  }
  return { state, pieces: make() };
}

/** The scenarios. */
export const forms: Record<string, FormScenario> = {
  async "a streamed part is there before it has come"(url) {
    // A connection that has been idle for so long that its server is about to close it is no place for a body that cannot be sent twice: what
    // is asked for here can, and the connection that was used last is taken next.
    await text((await fetch(`${url}/diary`)).body!);
    async function* pieces() {
      yield new Uint8Array(1000);
      await untilNoted(url, /begun 7/);
      for (let i = 0; i < 320; i++) yield new Uint8Array(65_536);
    }
    assertEquals(await text(await link(album, url).Add(7n, pieces())), `7 file ${1000 + 320 * 65_536}`);
    const file = new File([new Uint8Array(3_000_000)], "sea.png");
    assertEquals(await text(await link(album, url).Add(8n, file)), "8 sea.png 3000000");
    async function* more() {
      for (let i = 0; i < 40; i++) yield new Uint8Array(50_000);
    }
    assertEquals(await text(await link(album, url).Pair(more(), more())), "2000000 2000000");
  },

  async "a streamed part that may be left out is not there, or comes first"(url) {
    async function* pieces() {
      for (let i = 0; i < 40; i++) yield new Uint8Array(50_000);
    }
    const { Either } = link(album, url);
    assertEquals(await text(await Either(undefined, pieces())), "undefined 2000000");
    assertEquals(await text(await Either(pieces(), new Blob(["file"]))), "2000000 4");
    // A page sends an input without a file as a part of no name and no bytes.
    const body = new FormData();
    body.append("one", new File([], ""));
    body.append("two", new File(["file"], "two"));
    assertEquals(await (await fetch(`${url}/album/either`, { method: "POST", body })).text(), "undefined 4");
  },

  async "a function that answers early leaves its caller's source"(url) {
    for (let attempt = 1;; attempt++) {
      const { state, pieces } = endless();
      try {
        assert(await link(album, url).First(1n, pieces) > 0n);
      } catch (error) {
        // workerd resets a connection on which a body goes on after the answer, which the answer may be lost with. Our own listeners linger.
        if (!(error instanceof Error && /connection/i.test(String(error.cause))) || attempt === 20) throw error;
        continue;
      }
      for (let i = 0; i < 250 && !state.returned; i++) await later(20);
      assert(state.returned, "the sender goes on");
      break;
    }
  },

  async "a form of another client is read, and refused where its fields come last"(url) {
    const form = new FormData();
    form.append("title", "9");
    form.append("file", new File([new Uint8Array(200_000)], "a.bin"));
    const post = () => fetch(`${url}/album/add`, { method: "POST", body: form });
    assertEquals(await (await post()).text(), "9 a.bin 200000");
    form.append("title", "10");
    const refused = await post();
    assertEquals(refused.status, 400);
    assertStringIncludes(await refused.text(), "comes behind the streamed part");
  },

  async "a client that leaves in the middle breaks the stream off"(url) {
    const { pieces } = endless();
    const leave = new AbortController();
    const call = link(album, url).Add(11n, pieces, { signal: leave.signal });
    const refused = assertRejects(() => call);
    await untilNoted(url, /begun 11/);
    leave.abort();
    await refused;
    await untilNoted(url, /failed 11/);
  },
};
