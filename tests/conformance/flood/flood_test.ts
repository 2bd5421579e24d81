/** Half-open connections on two TCP listeners, for a process with few files, on Deno and on Node 24. */
import { assert, assertEquals } from "@std/assert";
import { bundled, nodeProgram } from "../../fixtures/platform/test_cache.ts";
import { type Client, client, later } from "../../fixtures/platform/raw_client.ts";

/** Files that the server may have open. */
const FILES = 256;

interface Flooded extends AsyncDisposable {
  /** Ports of two TCP listeners and the path of a Unix socket. */
  readonly doors: (number | string)[];
  /** What the server wrote to standard error. */
  told(): string;
  /** Has the server hold all of its files, or free them. */
  say(word: "hold" | "free"): Promise<void>;
}

/** Starts a server with few files, by its own runtime's program. */
async function start(program: string[], folder: string): Promise<Flooded> {
  const socket = `${folder}/gantry.sock`;
  const child = new Deno.Command("sh", {
    args: ["-c", `ulimit -n ${FILES}; exec "$@"`, "sh", ...program, `unix://${socket}`],
    cwd: folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let errors = "";
  const draining = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) errors += text;
  })();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const line = async () => {
    const { value } = await reader.read();
    if (value === undefined) throw new Error(`The server ended: ${errors}`);
    return value.trim();
  };
  const words = (await line()).split(/\s+/);
  const writer = child.stdin.getWriter();
  return {
    doors: [...words.slice(1, 3).map((address) => Number(address.split(":").at(-1))), socket],
    told: () => errors,
    async say(word) {
      await writer.write(new TextEncoder().encode(`${word}\n`));
      assertEquals(await line(), "done");
    },
    async [Symbol.asyncDispose]() {
      await writer.close().catch(() => {});
      await reader.cancel();
      await Promise.all([draining, child.status]);
    },
  };
}

const programs: Record<string, (folder: string) => Promise<string[]>> = {
  "Deno": () => {
    const module = new URL("flood_node.ts", import.meta.url).pathname;
    return Promise.resolve([Deno.execPath(), "run", "-A", "--quiet", "--no-check", module]);
  },
  async "Node 24"(folder) {
    await Deno.writeTextFile(`${folder}/flood.mjs`, await bundled("tests/conformance/flood/flood_node.ts", "node"));
    return [await nodeProgram(), "flood.mjs"];
  },
};

async function ping(door: number | string): Promise<number> {
  await using peer = await client(door);
  peer.write("GET /made HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return (await peer.response()).status;
}

/** Pings until there is an answer: one that is never deaf answers in the end. */
async function answers(door: number | string, attempts = 20): Promise<void> {
  for (let left = attempts;; left--) {
    try {
      return assertEquals(await ping(door), 200);
    } catch (error) {
      if (left === 0) throw error;
      await later(200);
    }
  }
}

for (const [name, program] of Object.entries(programs)) {
  Deno.test(`defect: half-open connections on two TCP listeners leave no listener deaf: ${name}`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-flood-" });
    const flood: Client[] = [];
    try {
      await using server = await start(await program(folder), folder);
      const [one, two] = server.doors;
      for (let round = 0; round < 2 * FILES; round++) {
        const peer = await client(round % 2 === 0 ? one : two);
        // Half of them send the beginning of a head, or ask to take the connection over and keep their body back.
        if (round % 4 === 0) peer.write("GET / HTTP/1.1\r\nHost: loc");
        if (round % 4 === 1) {
          peer.write(
            "POST /attach HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 9\r\n\r\n",
          );
        }
        flood.push(peer);
        if (round % 64 === 63) { for (const door of server.doors) assertEquals(await ping(door), 200); }
      }
      for (const door of server.doors) await answers(door);
      assert(flood.some((peer) => !peer.ended), "a flood that holds nothing shows nothing");
      assert(/told: Take a connection: \d+ over TCP/.test(server.told()), server.told());
      assertEquals(server.told().match(/Take a connection/g)?.length, 1);
    } finally {
      for (const peer of flood) peer.socket.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  });

  Deno.test(`defect: a listener that had no file for a connection takes connections again: ${name}`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-flood-" });
    const peers: Client[] = [];
    try {
      await using server = await start(await program(folder), folder);
      for (const door of server.doors) await answers(door);
      await server.say("hold");
      for (const door of server.doors) peers.push(await client(door));
      await later(300);
      await server.say("free");
      for (const door of server.doors) await answers(door, 60);
    } finally {
      for (const peer of peers) peer.socket.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  });
}
