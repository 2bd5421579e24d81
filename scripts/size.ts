/**
 * Prints what the exports of the transport weigh: minified by esbuild, then gzip. Schemas are the user's and are not counted.
 *
 * @module
 */
import * as esbuild from "esbuild";

const folder = new URL("../lib/rest/", import.meta.url).pathname;

/** The exports to weigh: names, each with the module they come from. */
export interface Export {
  readonly name: string;
  /** Its contents, in a word or two. */
  readonly holds: string;
  readonly from: string;
  readonly names: readonly string[];
  /** The most it may weigh, in bytes of gzip. */
  readonly budget?: number;
  /** The bundle that it is added to: only the bytes on top are counted. */
  readonly over?: "client" | "server";
}

/**
 * The exports and their budgets. `client` and `server` are what a definition is called and served with; `definition` is what makes one of
 * tags and schemas, for either side.
 */
const EXPORTS: readonly Export[] = [
  { name: "definition", holds: "tags, kinds, plans", from: "define.ts", names: ["api"], budget: 3050 },
  { name: "client", holds: "calls, JSON, text, streams, errors", from: "client.ts", names: ["link"], budget: 3060 },
  {
    name: "server",
    holds: "match, run, JSON, text, errors",
    from: "server.ts",
    names: ["handler", "implement"],
    budget: 7510,
  },
  {
    name: "client and definition",
    holds: "all that runs in a client",
    from: "client.ts",
    names: ["api", "rest", "link"],
    budget: 5760,
  },
  {
    name: "server and definition",
    holds: "parse, match, run, JSON, text, errors",
    from: "server.ts",
    names: ["api", "rest", "handler", "implement"],
    budget: 9990,
  },
  {
    name: "spread queries",
    holds: "?%v, for either side",
    from: "server.ts",
    names: ["spreadQuery"],
    over: "server",
  },
  {
    name: "exact kinds",
    holds: "bigint, Date, bytes within, recursion",
    from: "server.ts",
    names: ["exactKinds"],
    over: "server",
  },
  { name: "everything", holds: "./rest", from: "mod.ts", names: ["*"] },
  {
    name: "markers",
    holds: "int64, uint64, time, bytes",
    from: "client.ts",
    names: ["int64", "uint64", "time", "bytes"],
  },
  {
    name: "exact JSON",
    holds: "bigint, Date, bytes",
    from: "client.ts",
    names: ["exactJSON", "exactText"],
    over: "client",
  },
  { name: "form", holds: "x-www-form-urlencoded", from: "client.ts", names: ["form"], over: "client" },
  {
    name: "header values",
    holds: "HeaderWriter, HeaderReader",
    from: "client.ts",
    names: ["headerValues"],
    over: "client",
  },
  {
    name: "client channels",
    holds: "NDJSON, WebSocket, flow",
    from: "client.ts",
    names: ["readChannel"],
    over: "client",
  },
  { name: "client events", holds: "SSE, resumed", from: "events.ts", names: ["events"], over: "client" },
  {
    name: "trie router",
    holds: "many routes, versions, aliases",
    from: "server.ts",
    names: ["trieRouter"],
    over: "server",
  },
  {
    name: "pattern router",
    holds: "partial segments, constants",
    from: "server.ts",
    names: ["patternRouter"],
    over: "server",
  },
  { name: "negotiation", holds: "Accept, 406", from: "server.ts", names: ["negotiation"], over: "server" },
  { name: "exactness", holds: "large results faster", from: "server.ts", names: ["exactness"], over: "server" },
  { name: "quick paths", holds: "plain values faster", from: "server.ts", names: ["quickPaths"], over: "server" },
  { name: "server streams", holds: "stream, Response", from: "server.ts", names: ["streams"], over: "server" },
  {
    name: "channel arguments",
    holds: "lines read and checked",
    from: "server.ts",
    names: ["receiveChannel"],
    over: "server",
  },
  { name: "channel bodies", holds: "lines sent", from: "client.ts", names: ["channelBody"], over: "client" },
  {
    name: "server channels",
    holds: "NDJSON, SSE, WebSocket, flow",
    from: "server.ts",
    names: ["writeChannel"],
    over: "server",
  },
  { name: "resumable", holds: "SSE with IDs", from: "events.ts", names: ["resumable"], over: "server" },
  { name: "replay", holds: "window of the last values", from: "events.ts", names: ["replayWindow"], over: "server" },
  { name: "client batches", holds: "calls gathered", from: "batch.ts", names: ["batchCalls"], over: "client" },
  { name: "server batches", holds: "calls taken apart", from: "batch.ts", names: ["answerBatches"], over: "server" },
  {
    name: "client duplex",
    holds: "both ways over a WebSocket",
    from: "client.ts",
    names: ["sendDuplex"],
    over: "client",
  },
  { name: "server duplex", holds: "the same", from: "server.ts", names: ["acceptDuplex"], over: "server" },
  { name: "client socket", holds: "calls over a WebSocket", from: "batch.ts", names: ["socketCalls"], over: "client" },
  { name: "server socket", holds: "the same", from: "batch.ts", names: ["answerSocketCalls"], over: "server" },
  { name: "auth", holds: "bearer, basic", from: "server.ts", names: ["bearer", "basic"], over: "server" },
  { name: "middleware", holds: "stack, typed state", from: "server.ts", names: ["middlewareStack"], over: "server" },
  { name: "access log", holds: "an access log", from: "server.ts", names: ["accessLog"], over: "server" },
  { name: "rate limit", holds: "429, Retry-After", from: "server.ts", names: ["rateLimit"], over: "server" },
  { name: "csrf", holds: "Sec-Fetch-Site, Origin", from: "server.ts", names: ["guardCSRF"], over: "server" },
  { name: "cors", holds: "origins, preflights", from: "server.ts", names: ["withCORS"], over: "server" },
  {
    name: "check",
    holds: "what is wrong with a definition",
    from: "check/check.ts",
    names: ["checkOperations"],
    over: "server",
  },
  { name: "multipart", holds: "form-data, files", from: "client.ts", names: ["multipart"], over: "client" },
  {
    name: "client form streams",
    holds: "multipart, parts that are streams",
    from: "client.ts",
    names: ["multipartStreams"],
    over: "client",
  },
  { name: "server form streams", holds: "the same", from: "server.ts", names: ["formStreams"], over: "server" },
  { name: "retry", holds: "idempotent calls, Retry-After", from: "client.ts", names: ["retry"], over: "client" },
  {
    name: "server placed",
    holds: "headers, cookies, by the tag",
    from: "server.ts",
    names: ["readPlaced", "writePlaced"],
    over: "server",
  },
  {
    name: "client placed",
    holds: "headers, cookies, by the tag",
    from: "client.ts",
    names: ["placeHeaders"],
    over: "client",
  },
  {
    name: "server failures",
    holds: "declared errors",
    from: "server.ts",
    names: ["failureOf", "writeFailures"],
    over: "server",
  },
  {
    name: "client failures",
    holds: "declared errors, outcomes",
    from: "client.ts",
    names: ["outcomeOf", "readFailures"],
    over: "client",
  },
  { name: "hooks", holds: "before and after a call", from: "client.ts", names: ["hooks"], over: "client" },
  { name: "etag", holds: "ETag and 304", from: "server.ts", names: ["etag"], over: "server" },
  { name: "compress", holds: "gzip, deflate", from: "server.ts", names: ["compress"], over: "server" },
  { name: "decompress", holds: "bodies sent so", from: "server.ts", names: ["decompress"], over: "server" },
  { name: "request id", holds: "X-Request-Id", from: "server.ts", names: ["requestID"], over: "server" },
  { name: "xml", holds: "without its library", from: "codecs/xml.ts", names: ["xml"], over: "client" },
  {
    name: "queries",
    holds: "keys, queries, mutations",
    from: "contract/queries.ts",
    names: ["queries"],
    over: "client",
  },
  { name: "mock", holds: "made-up results", from: "contract/mock.ts", names: ["mock"], over: "server" },
  { name: "conform", holds: "property tests", from: "contract/conform.ts", names: ["conform"], over: "client" },
  { name: "diff", holds: "what breaks callers", from: "contract/diff.ts", names: ["diff"], over: "server" },
  { name: "import", holds: "api.ts of a document", from: "contract/import_openapi.ts", names: ["importOpenAPI"] },
  {
    name: "surfaces",
    holds: "document, page, client module",
    from: "surfaces.ts",
    names: ["surfaces"],
    over: "server",
  },
];

const CORES = {
  client: `export { link as $core, api as $api } from "./client.ts";`,
  server: `export { handler as $core, api as $api } from "./server.ts";`,
};

/** Weighs exports together, as they resolve in a folder: bytes of gzip. */
export async function weigh(code: string, resolveDir: string = folder): Promise<{ minified: number; gzip: number }> {
  const { outputFiles: [{ contents }] } = await esbuild.build({
    stdin: { contents: code, resolveDir, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2023",
    external: ["npm:*"],
  });
  const zipped = new Blob([contents as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("gzip"));
  return { minified: contents.length, gzip: (await new Response(zipped).arrayBuffer()).byteLength };
}

/** Weighs every export. */
export async function sizes(): Promise<(Export & { minified: number; gzip: number })[]> {
  try {
    const made = [];
    for (const one of EXPORTS) {
      const list = one.names[0] === "*" ? "*" : `{ ${one.names.join(", ")} }`;
      const core = one.over === undefined ? "" : CORES[one.over];
      const whole = await weigh(`${core} export ${list} from "./${one.from}";`);
      const base = core === "" ? { minified: 0, gzip: 0 } : await weigh(core);
      made.push({ ...one, minified: whole.minified - base.minified, gzip: whole.gzip - base.gzip });
    }
    return made;
  } finally {
    await esbuild.stop();
  }
}

if (import.meta.main) {
  for (const { name, holds, minified, gzip, budget, over } of await sizes()) {
    const limit = budget === undefined ? "" : `of ${budget}`;
    const sign = over === undefined ? "" : "+";
    console.log(`${name.padEnd(24)}${(sign + gzip).padStart(7)} ${limit.padEnd(9)} (${minified} minified)  ${holds}`);
  }
}
