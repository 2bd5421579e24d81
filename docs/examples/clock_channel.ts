/** Values that arrive one after the other, as lines of JSON and over a WebSocket: `deno run -A docs/examples/clock_channel.ts`. */
import { api, chan, implement, link, rest } from "@gantry/gantry/rest";
import { listenAndServe } from "@gantry/gantry/serve";
import { z } from "npm:zod@4.6.7";

const clockAPI = api("http://localhost", {
  Tick: rest("GET /ticks", [], [chan(z.object({ tick: z.int(), at: z.date() }))]),
});

const functions = implement(clockAPI, {
  async *Tick() {
    try {
      for (let tick = 1;; tick++) {
        yield { tick, at: new Date() };
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    } finally {
      // The source ends as soon as its caller leaves.
      console.log("the caller has left");
    }
  },
});

await using server = await listenAndServe("tcp://127.0.0.1:0", null, functions);
const url = server.address.replace("tcp:", "http:");

// Without a client, as with `curl URL/ticks`: one line of JSON for each value.
const response = await fetch(`${url}/ticks`);
const lines = response.body!.pipeThrough(new TextDecoderStream());
for await (const text of lines) {
  console.log("line:", Object.keys(JSON.parse(text.split("\n")[0])).join(" and "));
  break;
}

const clock = link(clockAPI, url);
for (const options of [{}, { websocket: true }]) {
  // A WebSocket gives credit: a slow reader holds the source back.
  for await (const { tick, at } of await clock.Tick(options)) {
    console.log(JSON.stringify(options), tick, at instanceof Date);
    if (tick === 3) break;
  }
}
