/** Serves the sample over HTTP and prints its process ID and address, for a runtime started as a process of its own. Ends with its input. */
import process from "node:process";
import { listen } from "../../lib/platform/http/listener.ts";
import { sample } from "./sample.ts";

process.on("unhandledRejection", (error) => {
  console.error("unhandled rejection", error);
  process.exit(70);
});
const listener = await listen(process.argv[2] ?? "tcp://127.0.0.1:0", sample(), {
  clientHosts: ["d", "docker"],
  ...JSON.parse(process.argv[3] ?? "{}"),
  hijacks: (method, path) => method === "POST" && /^\/(attach|start)$/.test(path),
});
console.log(process.pid, listener.address);
process.stdin.on("end", () => void listener.close(0)).resume();
