/** An API on a Unix socket, and its client: `deno run -A docs/examples/unix_socket.ts /tmp/my-folder/hello.sock`. */
import { api, implement, link, rest } from "@gantry/gantry/rest";
import { connect, listenAndServe } from "@gantry/gantry/serve";
import { z } from "npm:zod@4.6.7";

const helloAPI = api("http://localhost", { Greet: rest("GET /hello/{name=%v}", [z.string()], [z.string()]) });
const functions = implement(helloAPI, { Greet: (name) => `Hello ${name}` });

// The socket has mode 0600: only this user may connect. It is removed when the server is closed.
await using server = await listenAndServe(`unix://${Deno.args[0]}`, null, functions);

// `fetch` knows no Unix sockets; `connect` does, and keeps its connections.
using client = connect(server.address);
console.log(await link(helloAPI, "http://localhost", client).Greet("Ann"));

const curl = ["--silent", "--unix-socket", Deno.args[0], "http://localhost/hello/curl"];
console.log(new TextDecoder().decode((await new Deno.Command("curl", { args: curl }).output()).stdout));
