/** Serves the sample on two TCP listeners and a Unix socket in one process, for a flood of connections. */
import process from "node:process";
import { closeSync, openSync } from "node:fs";
import { listen } from "../../../lib/platform/http/listener.ts";
import { sample } from "../sample.ts";

// Deno's runtime opens what it needs for signals when it first has to.
process.on("SIGUSR2", () => {});
const onError = (error: unknown) => console.error("told:", error instanceof Error ? error.message : error);
const addresses = ["tcp://127.0.0.1:0", "tcp://127.0.0.1:0", process.argv[2]];
const listeners = await Promise.all(addresses.map((address) => listen(address, sample(), { onError })));
const held: number[] = [];
process.stdin.on("data", (text) => {
  // Whatever else takes files, as containers' streams do, is played by files that are held.
  if (String(text).startsWith("hold")) {
    try {
      for (;;) held.push(openSync("/dev/null", "r"));
    } catch { /* none is left */ }
  }
  if (String(text).startsWith("free")) { for (const file of held.splice(0)) closeSync(file); }
  console.log("done");
});
process.stdin.on("end", () => void Promise.all(listeners.map((listener) => listener.close(0))));
console.log(process.pid, ...listeners.map((listener) => listener.address));
