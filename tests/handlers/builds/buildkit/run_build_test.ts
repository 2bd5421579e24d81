/** The files that a build asks a client for before it begins. */
import { assertEquals } from "@std/assert";
import { BuildLog } from "../../../../handlers/builds/buildkit/build_log.ts";
import { fileMode } from "../../../../handlers/builds/buildkit/file_sync.ts";
import { PACKET, Packet, type StatValue } from "../../../../handlers/builds/buildkit/messages.ts";
import { runClientBuild } from "../../../../handlers/builds/buildkit/run_build.ts";
import { Session } from "../../../../handlers/builds/buildkit/sessions.ts";
import type { BuildOptions } from "../../../../lib/engine/build/build_options.ts";
import type { Engine } from "../../../../lib/engine/engine.ts";
import type { GRPCClient } from "../../../../lib/engine/ports/build_port.ts";

Deno.test("a Dockerfile that is listed again and again is asked for once, and the last one counts", async () => {
  const texts = Array.from({ length: 100 }, (_, at) => `FROM scratch\nLABEL at=${at}\n`);
  const asked: number[] = [];
  const client: GRPCClient = {
    closed: new Promise(() => {}),
    close() {},
    async *call(_method, messages, { metadata = {} } = {}) {
      const isDockerfile = metadata["dir-name"] === "dockerfile";
      for (const text of isDockerfile ? texts : []) {
        const facts = { uid: 0, gid: 0, modTime: 0, linkname: "", xattrs: {} };
        const stat: StatValue = { ...facts, path: "Dockerfile", mode: fileMode("file", 0o644), size: text.length };
        yield Packet.encode({ type: PACKET.stat, stat });
      }
      yield Packet.encode({ type: PACKET.stat });
      for await (const message of messages) {
        const { type, ID } = Packet.decode(message);
        if (type === PACKET.end) return;
        asked.push(ID);
        yield Packet.encode({ type: PACKET.data, ID, data: new TextEncoder().encode(texts[ID]) });
        yield Packet.encode({ type: PACKET.data, ID });
      }
    },
  };
  let given: BuildOptions | undefined;
  const build = async function* (options: BuildOptions) {
    given = options;
    yield { kind: "done", id: "made", names: [] };
  };
  // The build itself is the engine's, and has tests of its own.
  const engine = { builds: { build } } as unknown as Engine;
  const made = await runClientBuild({
    engine,
    session: new Session({ methods: [], sharedKey: "" }, client),
    log: new BuildLog(),
    attributes: {},
    allowInsecure: false,
    signal: new AbortController().signal,
  });
  assertEquals([made, asked], ["made", [99]]);
  assertEquals(given?.dockerfileTexts, [{ name: "Dockerfile", text: texts[99] }]);
  assertEquals(given?.contextFiles?.key, undefined, "a folder without a name is not kept");
});
