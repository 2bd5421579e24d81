import { clientTable } from "./client_table.ts";
import { CHANNELS_CODE } from "./channels.js.ts";
import { CLIENT_CODE } from "./client.js.ts";
import { type Definitions, describeAll, listOf, sharedPrefix } from "../described.ts";
import { pathOfBase } from "../../route/request_path.ts";
import { moduleNames } from "./module_names.ts";

/**
 * Generates a client of APIs: the text of an ECMAScript module without imports, for browsers, Deno and Node. It exports every
 * operation as a function, and every namespace as an object of functions, which call the server the module came from,
 * `connect(base, options)` for any other server or with headers, `APIError`, which a failed call throws, and `outcomeOf(call)`, which tells the
 * errors that an operation declares apart by their status.
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, rest } from "../../mod.ts";
 * import { clientModule } from "../../surfaces.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const { connect } = await import(`data:text/javascript,${encodeURIComponent(clientModule(calculator))}`);
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }));
 * console.assert(await connect("http://localhost", { fetch: serve }).Add(1n, 2n) === 3n);
 * ```
 */
export function clientModule(definitions: Definitions): string {
  const list = listOf(definitions);
  const all = describeAll(list);
  const shared = sharedPrefix(list);
  const { operations, structs } = clientTable(all, shared);
  const base = list[0]?.base ?? "";
  const path = pathOfBase(base);
  // Bases with different paths: these stand in the operations'.
  const address = path !== shared ? base.replace(/\/+$/, "").slice(0, -path.length) : base;
  const title = list.map(({ base, options }) => options.title ?? base).join(", ").replaceAll(/\s+/g, " ");
  const exported = moduleNames(all.map(({ id }) => id));
  return `/* @ts-self-types="./client.d.ts" */
// A client of ${title}. Generated: change the definition, not this file.
const operations = [
${operations.map((operation) => `  ${JSON.stringify(operation)},`).join("\n")}
];
const structs = ${JSON.stringify(structs)};

const channels = ${CHANNELS_CODE};
const { makeClient } = ${CLIENT_CODE};
const { APIError, connect, outcomeOf } = makeClient({ operations, structs });
/** The address that the module came from, else the address of its definition. */
const origin = /^https?:/.test(import.meta.url) ? new URL(import.meta.url).origin + ${JSON.stringify(shared)} : ${
    JSON.stringify(address)
  };
const client = connect(origin);
${exported.map(({ local, as }) => `const ${local} = client[${JSON.stringify(as)}];`).join("\n")}
export { ${["APIError", "connect", "outcomeOf", ...exported.map(({ local, as }) => `${local} as ${as}`)].join(", ")} };
export default client;
`;
}
