/** BuildKit's protocol in parts: messages, calls over a connection, folders of the client, and the services that it calls. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Message } from "../../../handlers/builds/buildkit/protobuf.ts";
import { readCacheOptions } from "../../../handlers/builds/buildkit/cache_options.ts";
import { readFrontendOptions } from "../../../handlers/builds/buildkit/frontend_options.ts";
import { fileMode, readClientFolder } from "../../../handlers/builds/buildkit/file_sync.ts";
import { BuildLog } from "../../../handlers/builds/buildkit/build_log.ts";
import { defineResult, readResult } from "../../../handlers/builds/buildkit/result_definition.ts";
import {
  Definition,
  DefinitionStep,
  InfoResponse,
  PACKET,
  Packet,
  SolveRequest,
  type StatusValue,
  type StatValue,
} from "../../../handlers/builds/buildkit/messages.ts";
import {
  GRPC_CODES,
  type GRPCClient,
  GRPCError,
  type IncomingCall,
  type SocketConnection,
} from "../../../lib/engine/ports/build_port.ts";
import { tarEntries } from "../../../lib/oci/tar/tar_entries.ts";
import { nodeGRPC } from "../../../lib/platform/http/grpc/grpc.ts";
import { openTestEngine } from "../../fixtures/handlers/test_engine.ts";
import { BuildKit } from "../../../handlers/builds/buildkit/control.ts";
import { Sessions } from "../../../handlers/builds/buildkit/sessions.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

const Inner = new Message({ name: [1, "string"], size: [2, "int64"] });
const Outer = new Message({
  flag: [1, "bool"],
  count: [2, "uint32"],
  inner: [3, Inner],
  list: [4, { list: Inner }],
  texts: [5, { map: "string" }],
  data: [16, "bytes"],
});

Deno.test("Message writes what it reads, and skips fields that it does not know", () => {
  const value = {
    flag: true,
    count: 4294967295,
    inner: { name: "ä", size: 2 ** 52 },
    list: [{ name: "a", size: -1 }, { name: "", size: 0 }],
    texts: { one: "1", "": "empty" } as Record<string, string>,
    data: new Uint8Array([0, 255]),
  };
  const read = Outer.decode(Outer.encode(value));
  assertEquals({ ...read, texts: { ...read.texts } }, value);
  // Tag and bytes as the wire format has them: field 3, two fields within.
  assertEquals([...Outer.encode({ inner: { name: "x", size: 5 } })], [0x1a, 5, 0x0a, 1, 0x78, 0x10, 5]);
  assertEquals(Inner.decode(Outer.encode({ data: new Uint8Array(9) })), { name: "", size: 0 });
  assertEquals(Object.getPrototypeOf(read.texts), null, "a key may be called __proto__");
});

Deno.test("Message refuses what ends early, lies about its length or has no end of entries", () => {
  const rows = [[0x1a, 9, 0x0a], [0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f], [0x22, 2, 0x0a], [0x1a, 2, 0x0a, 5]];
  for (const row of rows) assertThrows(() => Outer.decode(new Uint8Array(row)), Error);
  const many = new Uint8Array(2 * 100_001).map((_, at) => at % 2 === 0 ? 0x22 : 0);
  assertThrows(() => Outer.decode(many), RangeError, "more than 100000 entries");
  const random = crypto.getRandomValues.bind(crypto);
  for (let round = 0; round < 5000; round++) {
    const junk = random(new Uint8Array(round % 60));
    try {
      Outer.decode(junk);
    } catch (error) {
      assert(error instanceof Error);
    }
  }
});

/** Two ends of one connection. */
function connectionPair(): [SocketConnection, SocketConnection] {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  return [
    { readable: there.readable, writable: back.writable },
    { readable: back.readable, writable: there.writable },
  ];
}

async function withCalls(
  handle: (call: IncomingCall) => Promise<void>,
  work: (client: GRPCClient) => Promise<void>,
): Promise<void> {
  const [served, called] = connectionPair();
  const serving = nodeGRPC.serve(served, handle);
  const client = nodeGRPC.connect(called);
  try {
    await work(client);
  } finally {
    client.close();
    await serving;
  }
}

Deno.test("calls go both ways, end with their status, and can be given up", async () => {
  const gone = Promise.withResolvers<void>();
  await withCalls(async (call) => {
    if (call.method === "/x.Y/Echo") {
      for await (const message of call.messages) await call.send(bytes(`${call.metadata.who} says ${text(message)}`));
    } else if (call.method === "/x.Y/Wait") {
      await call.send(bytes("begun"));
      call.signal.addEventListener("abort", () => gone.resolve());
      await gone.promise;
    } else throw new GRPCError(GRPC_CODES.notFound, "nöthing: here%");
  }, async (client) => {
    const said: string[] = [];
    const long = "x".repeat(300_000);
    for await (const one of client.call("/x.Y/Echo", [bytes("a"), bytes(long)], { metadata: { who: "me" } })) {
      said.push(text(one));
    }
    assertEquals(said, ["me says a", `me says ${long}`]);
    const error = await assertRejects(async () => {
      for await (const _ of client.call("/x.Y/None", [])) assert(false);
    }, GRPCError);
    assertEquals([error.code, error.message], [GRPC_CODES.notFound, "nöthing: here%"]);
    for await (const one of client.call("/x.Y/Wait", [])) {
      assertEquals(text(one), "begun");
      break;
    }
    await gone.promise;
  });
});

Deno.test("a message that is too long is refused, and so is a call behind the end", async () => {
  let left: GRPCClient | undefined;
  await withCalls(async (call) => {
    for await (const message of call.messages) await call.send(message);
  }, async (client) => {
    left = client;
    const huge = [new Uint8Array(16 * 1024 * 1024 + 1)];
    const error = await assertRejects(async () => {
      for await (const _ of client.call("/x.Y/Echo", huge)) assert(false);
    }, GRPCError);
    assertEquals(error.code, GRPC_CODES.resourceExhausted);
  });
  await left!.closed;
  await assertRejects(() => left!.call("/x.Y/Echo", []).next(), GRPCError, "the client has left");
});

const FOLDER = { mode: fileMode("folder", 0o755), size: 0 };
const stat = (path: string, more: Partial<StatValue> = {}): StatValue => ({
  ...{
    path,
    mode: fileMode("file", 0o4644),
    uid: 0,
    gid: 0,
    size: 0,
    modTime: 1_700_000_000_000_000_000,
    linkname: "",
  },
  ...more,
});

/** A client that has files, and answers each packet as `answer` says; by default as it should. */
function folderClient(
  files: readonly [stat: StatValue, content?: string][],
  answer?: (ID: number) => Uint8Array[],
): { client: GRPCClient; asked: unknown[] } {
  const asked: unknown[] = [];
  const client: GRPCClient = {
    closed: new Promise(() => {}),
    close() {},
    async *call(method, messages, options) {
      asked.push(method, options?.metadata);
      for (const [stat] of files) yield Packet.encode({ type: PACKET.stat, stat });
      yield Packet.encode({ type: PACKET.stat });
      for await (const message of messages) {
        const { type, ID } = Packet.decode(message);
        if (type === PACKET.end) return;
        if (answer) yield* answer(ID);
        else {
          const data = bytes(files[ID][1] ?? "");
          for (let at = 0; at < data.length; at += 3) {
            yield Packet.encode({ type: PACKET.data, ID, data: data.slice(at, at + 3) });
          }
          yield Packet.encode({ type: PACKET.data, ID });
        }
      }
    },
  };
  return { client, asked };
}

const none = new AbortController().signal;

Deno.test("readClientFolder() asks for the files of a folder, and gives them as an archive", async () => {
  const { client, asked } = folderClient([
    [stat("deep", FOLDER)],
    [stat("deep/a", { size: 7 }), "content"],
    [stat("empty")],
    [stat("hard", { linkname: "deep/a" })],
    [stat("link", { mode: fileMode("symlink", 0o777), linkname: "deep/a" })],
    [stat("z", { size: 1 }), "!"],
  ]);
  const wish = { name: "context", exclude: ["*.log", "ä"], follow: ["z"] };
  const found: unknown[] = [];
  for await (const entry of tarEntries(readClientFolder(client, wish, none), { entries: 99, bytes: 1e6 })) {
    const pieces: Uint8Array[] = [];
    for await (const piece of entry.content()) pieces.push(piece.slice());
    found.push([entry.path, entry.kind, entry.mode.toString(8), entry.link, pieces.map(text).join("")]);
  }
  assertEquals(found, [
    ["deep", "folder", "755", "", ""],
    ["deep/a", "file", "4644", "", "content"],
    ["empty", "file", "4644", "", ""],
    ["hard", "hardlink", "4644", "deep/a", ""],
    ["link", "symlink", "777", "deep/a", ""],
    ["z", "file", "4644", "", "!"],
  ]);
  assertEquals(asked, ["/moby.filesync.v1.FileSync/DiffCopy", {
    "dir-name": "context",
    "exclude-patterns": ["*.log", "%C3%A4"],
    "exclude-patterns-encoded": "1",
    followpaths: ["z"],
  }]);
});

Deno.test("readClientFolder() refuses a client that lies", async () => {
  const data = (ID: number, content: string) => Packet.encode({ type: PACKET.data, ID, data: bytes(content) });
  const file = [[stat("a", { size: 4 })]] as const;
  const rows: [files: readonly [StatValue][], answer: (ID: number) => Uint8Array[], message: string][] = [
    [[...file] as [StatValue][], (ID) => [data(ID, "abc"), data(ID, "")], '"a" changed while it was sent'],
    [[...file] as [StatValue][], (ID) => [data(ID, "abcde"), data(ID, "")], '"a" changed while it was sent'],
    [[...file] as [StatValue][], () => [data(7, "abcd")], "file 7 was not asked for"],
    [[...file] as [StatValue][], () => [Packet.encode({ type: PACKET.error, data: bytes("no access") })], "no access"],
    [[...file] as [StatValue][], () => [Packet.encode({ type: PACKET.stat, stat: stat("b") })], "out of turn"],
    [[[stat("dev", { mode: 2 ** 26 + 0o644 })]], () => [], '"dev" is a device or a socket'],
  ];
  for (const [files, answer, message] of rows) {
    const { client } = folderClient(files, answer);
    await assertRejects(
      async () => {
        for await (const _ of readClientFolder(client, { name: "context" }, none));
      },
      Error,
      message,
    );
  }
});

Deno.test("a client that sends more of a file asked for ahead than it announced is refused at once", async () => {
  const { client } = folderClient(
    [[stat("a", { size: 4 })], [stat("b", { size: 4 })]],
    // Nothing of the first file comes, and the second one never ends.
    (ID) =>
      ID === 0 ? [] : Array.from({ length: 1000 }, () => Packet.encode({ type: PACKET.data, ID, data: bytes("abc") })),
  );
  await assertRejects(
    async () => {
      for await (const _ of readClientFolder(client, { name: "context" }, none));
    },
    Error,
    '"b" changed while it was sent',
  );
});

Deno.test("BuildLog keeps the latest output, and says where there was more", async () => {
  const log = new BuildLog();
  const step = log.begin("RUN yes");
  const live = log.follow(none);
  const line = "y".repeat(100_000);
  let last = "";
  for (let round = 0; round < 200; round++) {
    step.print(`${round} ${line}`);
    // Steps are told of between lines of output.
    for (let told = 0; told < (round === 0 ? 2 : 1); told++) last = logsOf((await live.next()).value!) || last;
    assert(last.startsWith(`${round} y`), `line ${round} comes to a client that follows`);
  }
  step.end();
  const late = async () => {
    const values = await Array.fromAsync(log.follow(none));
    return {
      lines: values.map(logsOf).filter((line) => line !== ""),
      ends: values.filter(({ vertexes }) => vertexes?.[0].completed).length,
    };
  };
  const running = log.follow(none);
  await running.next();
  log.end();
  await running.return(undefined);
  await live.return(undefined);
  const { lines, ends } = await late();
  assertEquals(lines[0], "[earlier output is left out: there was too much of it]\n");
  assert(lines.at(-1)!.startsWith("199 y"));
  assertEquals([lines.length, ends], [1 + 2, 1], "of a build that is over 256 KiB are kept");
});

function logsOf({ logs = [] }: StatusValue): string {
  return logs.map(({ msg }) => text(msg)).join("");
}

Deno.test("readFrontendOptions() reads the options of the frontend, and refuses those that nobody honours by name", () => {
  const { contexts, options, filename, contextFolder, remote } = readFrontendOptions({
    filename: "Other",
    target: "t",
    "label:b": "2",
    "label:a": "1",
    "build-arg:X": "y",
    "no-cache": "",
    platform: "linux/arm64",
    "add-hosts": "a=1.2.3.4,b=::1",
    "force-network-mode": "none",
    ulimit: "nofile=10:20",
    "shm-size": "65536",
    "image-resolve-mode": "pull",
    "context:base": "docker-image://alpine",
    "context:src": "local:src0",
    "context:web::linux/amd64": "https://example.com/x.git",
    "attest:provenance": "mode=min",
  });
  assertEquals([filename, contextFolder, remote], ["Other", "context", undefined]);
  assertEquals(contexts, {
    base: { kind: "image", name: "alpine" },
    src: { kind: "local", folder: "src0" },
    web: { kind: "url", url: "https://example.com/x.git" },
  });
  assertEquals(Object.keys(options.labels ?? {}), ["a", "b"], "the order of the client's map counts for nothing");
  assertEquals([options.target, options.noCache, options.pull, options.buildArgs], ["t", true, "always", { X: "y" }]);
  assertEquals(options.sandbox?.hosts, ["a:1.2.3.4", "b:::1"]);
  assertEquals(options.sandbox?.network, { mode: "none" });
  const elsewhere = readFrontendOptions({ context: "https://example.com/a.tar" });
  assertEquals([elsewhere.contextFolder, elsewhere.remote], [undefined, "https://example.com/a.tar"]);
  const rows: [attributes: Record<string, string>, message: string][] = [
    [{ "context:x": "input:y" }, 'the context "x" (input:y) is not supported'],
    [{ platform: "linux/amd64,linux/arm64" }, "one platform"],
    [{ "force-network-mode": "odd" }, 'the network mode "odd" is not supported'],
    [{ wrong: "1" }, 'the option "wrong" is not supported'],
  ];
  for (const [attributes, message] of rows) assertThrows(() => readFrontendOptions(attributes), Error, message);
});

Deno.test("a result's definition says of what image it is, and no other definition is taken for one", async () => {
  const image = "ab".repeat(32);
  const sent = Definition.decode(Definition.encode(await defineResult(image)));
  assertEquals(readResult(sent), image);
  const { digest, index } = DefinitionStep.decode(sent.def[1]).inputs[0];
  assertEquals([Object.keys(sent.metadata), index], [[digest], 0], "clients look for facts of each step");
  const foreign = (identifier: string) => [DefinitionStep.encode({ source: { identifier } }), sent.def[1]];
  const rows = [[], [sent.def[0]], [...sent.def, sent.def[1]], [sent.def[1], sent.def[0]]];
  const identifiers = [
    "docker-image://a",
    `gantry-image://${image}/../..`,
    "gantry-image://",
    `x-gantry-image://${image}`,
  ];
  for (const def of [...rows, ...identifiers.map(foreign)]) {
    assertThrows(() => readResult({ def, metadata: {} }), GRPCError, "LLB");
  }
  const { contexts } = readFrontendOptions({ "context:base": "input:base", "input-metadata:base": "{}" }, {
    base: image,
  });
  assertEquals(contexts, { base: { kind: "image", name: image } });
});

Deno.test("BuildKit answers what clients ask first, and refuses other services by name", async () => {
  await using test = await openTestEngine();
  const services = new BuildKit(test.engine, new Sessions());
  const ask = async (method: string, message: Uint8Array = new Uint8Array(), metadata = {}) => {
    const sent: Uint8Array[] = [];
    await services.answer({
      ...{ method, metadata, signal: none },
      messages: (async function* () {
        yield message;
      })(),
      send: (piece) => Promise.resolve(void sent.push(piece)),
    });
    return sent;
  };
  const [info] = await ask("/moby.buildkit.v1.Control/Info");
  assertEquals(InfoResponse.decode(info).buildkitVersion?.package, "gantry");
  assertEquals((await ask("/moby.buildkit.v1.Control/ListWorkers")).length, 1);
  assertEquals((await ask("/moby.buildkit.v1.frontend.LLBBridge/Ping")).length, 1);
  for (const method of ["/moby.buildkit.v1.Control/Other", "/x.Y/Z", "/a", "/moby.buildkit.v1.Control/constructor"]) {
    const { code } = await assertRejects(() => ask(method), GRPCError);
    assertEquals(code, GRPC_CODES.unimplemented);
  }
  const request = SolveRequest.encode({ Ref: "one", Frontend: "other.v0" });
  const solve = () => assertRejects(() => ask("/moby.buildkit.v1.Control/Solve", request), GRPCError);
  assertEquals((await solve()).code, GRPC_CODES.unimplemented);
  assertEquals((await solve()).code, GRPC_CODES.alreadyExists, "a name is one build's");
  const nameless = await assertRejects(() => ask("/moby.buildkit.v1.Control/Status"), GRPCError);
  assertEquals(nameless.code, GRPC_CODES.invalidArgument);
});

Deno.test("readCacheOptions() reads registries and images, and refuses other kinds by their names", () => {
  const registry = (ref: string, more = {}) => ({ Type: "registry", Attrs: { ref, ...more } });
  const read = (more: Partial<Parameters<typeof readCacheOptions>[0]>) =>
    readCacheOptions({ imports: [], exports: [], attributes: {}, ...more });
  const attributes = { "cache-from": "a:1,b", "cache-imports": JSON.stringify([registry("c"), registry("d")]) };
  assertEquals(read({ imports: [registry("d")], attributes }).cacheFrom, ["a:1", "b", "d", "c"]);
  const exports = [registry("h/e:t", { mode: "max" }), registry("h/f", { "ignore-error": "true" })];
  assertEquals(read({ exports }), {
    cacheFrom: [],
    cacheTo: [{ name: "h/e:t", all: true, mayFail: false }, { name: "h/f", all: false, mayFail: true }],
  });
  assertEquals(read({ exports: [{ Type: "inline", Attrs: {} }] }).inlineCache, true);
  for (const Type of ["gha", "s3", "azblob", "local"]) {
    const entry = { Type, Attrs: {} };
    assertThrows(
      () => read({ exports: [entry] }),
      Error,
      `"${Type}" is not supported for writing: use registry and inline`,
    );
    assertThrows(() => read({ imports: [entry] }), Error, `"${Type}" is not supported for reading: use registry`);
  }
  assertThrows(() => read({ imports: [{ Type: "registry", Attrs: {} }] }), Error, "has no ref");
  for (const wrong of ["{", "{}", "[1]"]) {
    assertThrows(() => read({ attributes: { "cache-imports": wrong } }), Error, "not a JSON list of caches");
  }
});
