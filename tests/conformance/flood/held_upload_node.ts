/** Serves uploads whose function takes one piece or value and then waits, and prints the process ID and address, for a runtime started as a process of its own. Ends with its input. */
import process from "node:process";
import { z } from "zod";
import { api, chan, handler, implement, rest, stream } from "../../../lib/rest/mod.ts";
import { listen } from "../../../lib/platform/http/listener.ts";

const uploads = api("uploads.example.com", {
  Pieces: rest("POST /pieces", [stream()], [z.string()], { limit: Infinity }),
  Values: rest("POST /values", [chan(z.number())], [z.string()], { limit: Infinity }),
  Taken: rest("GET /taken", [], [z.number()]),
});

let taken = 0;

async function takeOne(source: AsyncIterable<unknown>): Promise<string> {
  for await (const _one of source) {
    taken++;
    await new Promise(() => {});
  }
  return "";
}

const functions = implement(uploads, { Pieces: takeOne, Values: takeOne, Taken: () => taken });
const listener = await listen("tcp://127.0.0.1:0", handler(null, functions));
console.log(process.pid, listener.address);
process.stdin.on("end", () => void listener.close(0)).resume();
