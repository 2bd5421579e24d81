/**
 * A session with the engine's API as data: what goes over the wire and what has to come back, on an engine without a kernel.
 * Replayed by calling the handler, and over the wire on every runtime.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { buildImage, pushImage } from "../fixtures/images/image_builder.ts";
import type { TestRegistry } from "../fixtures/images/registry.ts";

/** Sends a request to the engine under test. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

/** One request, and what its answer must be. `IMAGE` stands for the image's name in the test's registry, `COPY` for one beside it, `OTHER` for another registry. */
export interface Exchange {
  readonly request: string;
  readonly body?: unknown;
  readonly status: number;
  /** Header values that must be there. */
  readonly headers?: Record<string, string>;
  /** The body's text must match, */
  readonly text?: RegExp;
  /** or its JSON must contain this: objects by property, lists by their own members in order. */
  readonly json?: unknown;
}

/** The session, in order. */
export const session: readonly Exchange[] = [
  { request: "GET /_ping", status: 200, text: /^OK$/, headers: { "api-version": "1.52" } },
  { request: "HEAD /_ping", status: 200, text: /^$/ },
  { request: "GET /v4.3.1/libpod/_ping", status: 200, text: /^OK$/ },
  { request: "GET /version", status: 200, json: { Os: "linux", Arch: "amd64" } },
  { request: "GET /v1.41/version", status: 200, json: { Os: "linux" } },
  { request: "GET /engine/version", status: 200, json: { Os: "linux" } },
  {
    request: "GET /v4.0.0/libpod/info",
    status: 200,
    json: { host: { os: "linux" }, store: { imageStore: { number: 0 } } },
  },
  { request: "GET /info", status: 200, json: { Images: 0, Containers: 0 } },
  { request: "GET /libpod/images/json", status: 200, json: [] },
  { request: "GET /nowhere", status: 404 },
  { request: "PUT /version", status: 405, headers: { allow: "GET, HEAD" } },
  { request: "POST /libpod/images/pull?reference=Not%20A%20Name", status: 400 },
  { request: "GET /libpod/images/IMAGE/json", status: 404, json: { response: 404, cause: "image not known" } },
  { request: "GET /libpod/images/IMAGE/exists", status: 404 },
  { request: "POST /libpod/images/pull?reference=IMAGE", status: 200, text: /"id":"[0-9a-f]{64}"/ },
  { request: "POST /images/create?fromImage=IMAGE", status: 200, text: /"status":/ },
  { request: "GET /libpod/images/IMAGE/exists", status: 204 },
  { request: "GET /engine/images/IMAGE/exists", status: 204 },
  { request: "GET /libpod/images/json", status: 200, json: [{ RepoTags: ["IMAGE"] }] },
  { request: "GET /images/json", status: 200, json: [{ RepoTags: ["IMAGE"] }] },
  {
    request: "GET /libpod/images/IMAGE/json",
    status: 200,
    json: { Architecture: "amd64", Config: { Cmd: ["hello"] } },
  },
  { request: "GET /images/IMAGE/json", status: 200, json: { Os: "linux", Config: { Cmd: ["hello"] } } },
  { request: "GET /libpod/images/IMAGE/history", status: 200 },
  { request: "POST /libpod/images/IMAGE/tag?repo=localhost/other&tag=v1", status: 201 },
  { request: "GET /libpod/images/localhost%2Fother:v1/exists", status: 204 },
  // The image was pulled from there: nothing but a manifest has to go back.
  { request: "POST /v5.0.0/libpod/images/IMAGE/push?quiet=false", status: 200, text: /"manifestdigest":"sha256:/ },
  {
    request: "POST /libpod/images/IMAGE/push?destination=COPY&format=v2s2&quiet=false",
    status: 200,
    text: /mounted from another repository.*"manifestdigest"/s,
  },
  {
    request: "POST /images/IMAGE/push?destination=COPY-docker",
    status: 200,
    text: /"aux":\{"Tag":"latest","Digest":"sha256:/,
  },
  // Another registry has nothing of it.
  {
    request: "POST /libpod/images/IMAGE/push?destination=OTHER/sent:1&quiet=false",
    status: 200,
    text: /^(?!.*skipped).*"manifestdigest"/s,
  },
  { request: "POST /libpod/images/pull?reference=OTHER/sent:1", status: 200, text: /"id":"[0-9a-f]{64}"/ },
  { request: "DELETE /libpod/images/OTHER/sent:1", status: 200 },
  { request: "GET /libpod/images/IMAGE/resolve", status: 200, json: { Names: ["IMAGE"] } },
  { request: "GET /distribution/IMAGE/json", status: 200, json: { Platforms: [{ architecture: "amd64" }] } },
  { request: "POST /v4.0.0/libpod/manifests/list?images=IMAGE", status: 201 },
  {
    request: "PUT /v4.0.0/libpod/manifests/list",
    body: { operation: "update", images: ["docker://COPY"], annotations: { a: "b" } },
    status: 200,
  },
  {
    request: "GET /v4.0.0/libpod/manifests/list/json",
    status: 200,
    json: { manifests: [{ platform: { os: "linux" } }, { annotations: { a: "b" } }] },
  },
  { request: "POST /v4.0.0/libpod/manifests/list/registry/COPY-list", status: 200, text: /"Id":"sha256:/ },
  { request: "DELETE /v4.0.0/libpod/manifests/list", status: 200 },
  { request: "GET /libpod/events?stream=false&since=0", status: 200, text: /"Action":"pull"/ },
  { request: "POST /libpod/containers/create", body: "not an object", status: 400 },
  { request: "POST /libpod/containers/create", body: { image: "IMAGE" }, status: 501, text: /no kernel/ },
  { request: "POST /libpod/containers/one/start", status: 501, json: { response: 501 }, text: /no kernel/ },
  // What needs a kernel says so whatever it is asked of; what reads records knows that there is no such one.
  { request: "POST /containers/one/start", status: 501, json: { response: 501 }, text: /no kernel/ },
  { request: "DELETE /containers/one", status: 501, text: /no kernel/ },
  { request: "DELETE /libpod/containers/one", status: 404, text: /no such container/ },
  { request: "GET /containers/one/json", status: 404 },
  { request: "GET /libpod/containers/one/json", status: 404 },
  { request: "POST /containers/create", body: { Image: "IMAGE" }, status: 501, text: /no kernel/ },
  { request: "GET /libpod/containers/json?all=true", status: 200, json: [] },
  { request: "DELETE /libpod/images/localhost/other:v1", status: 200, json: { Untagged: ["localhost/other:v1"] } },
  { request: "DELETE /libpod/images/IMAGE", status: 200 },
  { request: "GET /libpod/images/json", status: 200, json: [] },
];

/** Puts the session's image into a registry, under a name of its own for each replay. */
export async function pushSessionImage(registry: TestRegistry, name: string): Promise<string> {
  const image = buildImage({
    config: { Cmd: ["hello"] },
    layers: [
      { entries: [{ type: "file", path: "hello", content: "hello" }] },
      {
        entries: [{
          type: "file",
          path: "big",
          content: noise(3_000_000),
        }],
      },
    ],
  });
  await pushImage(registry.url, `${name}:latest`, image);
  return `${registry.host}/${name}:latest`;
}

/** Bytes that do not compress, the same each time: more than goes to a registry in one piece. */
function noise(length: number): Uint8Array {
  let state = 7;
  return new Uint8Array(length).map(() => (state = Math.imul(state, 1103515245) + 12345) >>> 16);
}

/** Sends one request of the session and checks its answer. */
export async function replay(send: Send, exchange: Exchange, image: string, other: string): Promise<void> {
  const copy = image.replace(/:latest$/, "-copy");
  const fill = (text: string) => text.replaceAll("IMAGE", image).replaceAll("COPY", copy).replaceAll("OTHER", other);
  const [method, path] = fill(exchange.request).split(" ");
  const body = exchange.body === undefined ? undefined : JSON.parse(fill(JSON.stringify(exchange.body)));
  const response = await send(method, path, body);
  const text = await response.text();
  assertEquals(response.status, exchange.status, `${exchange.request}: ${text}`);
  for (const [name, value] of Object.entries(exchange.headers ?? {})) {
    assertEquals(response.headers.get(name), value, name);
  }
  if (exchange.text) assertMatch(text, exchange.text);
  if (exchange.json !== undefined) contains(JSON.parse(text), JSON.parse(fill(JSON.stringify(exchange.json))), "");
}

function contains(actual: unknown, expected: unknown, at: string): void {
  if (typeof expected !== "object" || expected === null) return assertEquals(actual, expected, at);
  assert(typeof actual === "object" && actual !== null, `${at} is ${actual}`);
  if (Array.isArray(expected)) assertEquals((actual as unknown[]).length, expected.length, `${at}.length`);
  for (const [name, value] of Object.entries(expected)) {
    contains((actual as Record<string, unknown>)[name], value, `${at}.${name}`);
  }
}
