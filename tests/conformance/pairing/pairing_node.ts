/**
 * The API's server and client as a Node program. `serve ADDRESS` serves it and prints its process ID and address, until its
 * input ends; `call ADDRESS` calls one served elsewhere, and prints the cases that passed as JSON.
 */
import process from "node:process";
import { listen } from "../../../lib/platform/http/listener.ts";
import { connect } from "../../../lib/platform/http/client/connect.ts";
import { serveEverything } from "./pairing_api.ts";
import { runCases } from "./pairing_cases.ts";

process.on("unhandledRejection", (error) => {
  console.error("unhandled rejection", error);
  process.exit(70);
});
const [, , command, address] = process.argv;
if (command === "serve") {
  const listener = await listen(address, serveEverything());
  console.log(process.pid, listener.address);
  process.stdin.on("end", () => void listener.close(0)).resume();
} else {
  const overUnix = address.startsWith("unix:");
  const passed = await runCases(
    overUnix ? { base: "http://localhost", client: connect(address) } : { base: address.replace("tcp:", "http:") },
  );
  console.log(JSON.stringify(passed));
  process.exit(0);
}
