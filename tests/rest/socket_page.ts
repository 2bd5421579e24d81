/** What a page runs to consume channels; bundled and loaded by `socket_test.ts`. */
import { header, link } from "../../lib/rest/mod.ts";
import { socketProtocols } from "../../lib/rest/socket_protocols.ts";
import { events } from "../../lib/rest/events.ts";
import { ticks } from "./ticks.ts";

/** All values of a channel over a way of getting them, or the error that ended it. */
async function read(token: string, way: "lines" | "events" | "websocket", to: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    const authorized = header("authorization", `Bearer ${token}`);
    const client = link(ticks, location.origin, way === "events" ? events(authorized) : authorized);
    for await (const tick of await client.Ticks(to, { websocket: way === "websocket" })) {
      // A bigint has no way out of a page as JSON.
      seen.push({ ...tick, exact: String(tick.exact), at: tick.at.toISOString() });
      if (tick.n === 20_000) break;
    }
  } catch (error) {
    seen.push(String(error));
  }
  return seen;
}

/** The same with a WebSocket made by hand. */
function plain(token: string | undefined, to: number): Promise<unknown[]> {
  const protocols = token === undefined ? [] : socketProtocols(token);
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ticks?to=${to}`, protocols);
  const seen: unknown[] = [];
  return new Promise((resolve) => {
    socket.onmessage = ({ data }) => seen.push(JSON.parse(data).n);
    socket.onclose = ({ code }) => resolve([socket.protocol, code, ...seen]);
  });
}

/** An EventSource, which connects again by itself, until the server says 204. */
function eventSource(to: number): Promise<unknown[]> {
  const source = new EventSource(`/open?to=${to}`);
  const seen: unknown[] = [];
  return new Promise((resolve) => {
    source.onmessage = ({ data, lastEventId }) => seen.push([JSON.parse(data), lastEventId]);
    source.onerror = () => source.readyState === EventSource.CLOSED && resolve(seen);
  });
}

Object.assign(globalThis, { read, plain, eventSource });
