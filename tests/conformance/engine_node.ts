/** Serves an engine in memory over HTTP and prints its address. Ends with its input. */
import process from "node:process";
import { listen } from "../../lib/platform/http/listener.ts";
import { memoryEngine } from "./memory_engine.ts";

const listener = await listen(process.argv[2], await memoryEngine(process.env.REGISTRIES ?? ""));
console.log(listener.address);
process.stdin.on("end", () => void listener.close(0)).resume();
