/** Serves the odd paths as a Node program; prints its process ID and address, and ends with its input. */
import process from "node:process";
import { listen } from "../../../lib/platform/http/listener.ts";
import { serveOdd } from "./odd_paths.ts";

const listener = await listen("tcp://127.0.0.1:0", serveOdd());
console.log(process.pid, listener.address);
process.stdin.on("end", () => void listener.close(0)).resume();
