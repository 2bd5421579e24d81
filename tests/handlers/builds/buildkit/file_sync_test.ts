import { assertEquals, assertRejects } from "@std/assert";
import {
  fileMode,
  type FolderWish,
  openClientFolder,
  sentAttributes,
} from "../../../../handlers/builds/buildkit/file_sync.ts";
import { PACKET, Packet, type StatValue } from "../../../../handlers/builds/buildkit/messages.ts";
import type { GRPCClient } from "../../../../lib/engine/ports/build_port.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const text = (data: Uint8Array) => new TextDecoder().decode(data);

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
    xattrs: {},
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

/** Reads all files of a client's folder, by their paths. */
async function readAll(client: GRPCClient, wish: FolderWish = { name: "context" }) {
  await using open = await openClientFolder(client, wish, none);
  const contents: string[] = open.files.map(() => "");
  for await (const { number, bytes } of open.read([...open.files.keys()])) contents[number] += text(bytes);
  return open.files.map(({ path, kind, mode, link }, number) => [path, kind, mode.toString(8), link, contents[number]]);
}

Deno.test("openClientFolder() lists the files of a folder, and reads those that are wanted", async () => {
  const { client, asked } = folderClient([
    [stat("deep", FOLDER)],
    [stat("deep/a", { size: 7 }), "content"],
    [stat("empty")],
    [stat("hard", { linkname: "deep/a" })],
    [stat("link", { mode: fileMode("symlink", 0o777), linkname: "deep/a" })],
    [stat("z", { size: 1 }), "!"],
  ]);
  const wish = { name: "context", exclude: ["*.log", "ä"], follow: ["z"] };
  const found = await readAll(client, wish);
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

Deno.test("openClientFolder() takes the extended attributes that go with a file, and no others", async () => {
  const xattrs = {
    "user.ä": Uint8Array.of(0, 255),
    "security.capability": bytes("cap"),
    "security.selinux": bytes("label"),
    "trusted.x": bytes("x"),
    "user.overlay.opaque": bytes("y"),
  };
  const { client } = folderClient([[stat("a", { xattrs })], [stat("b")]]);
  await using open = await openClientFolder(client, { name: "context" }, none);
  const [a, b] = open.files;
  assertEquals(a.attributes, ["security.capability", "cap", "user.\u00c3\u00a4", "\u0000\u00ff"]);
  assertEquals("attributes" in b, false);
  // A client is sent the same again.
  assertEquals(sentAttributes(a.attributes), { "security.capability": bytes("cap"), "user.ä": Uint8Array.of(0, 255) });
  assertEquals(sentAttributes(undefined), {});
});

Deno.test("openClientFolder() refuses a client that lies", async () => {
  const data = (ID: number, content: string) => Packet.encode({ type: PACKET.data, ID, data: bytes(content) });
  const file = [[stat("a", { size: 4 })]] as const;
  const rows: [files: readonly [StatValue][], answer: (ID: number) => Uint8Array[], message: string][] = [
    [[...file] as [StatValue][], (ID) => [data(ID, "abc"), data(ID, "")], '"a" changed while it was sent'],
    [[...file] as [StatValue][], (ID) => [data(ID, "abcde"), data(ID, "")], '"a" changed while it was sent'],
    [[...file] as [StatValue][], () => [data(7, "abcd")], "file 7 was not asked for"],
    [[...file] as [StatValue][], () => [Packet.encode({ type: PACKET.error, data: bytes("no access") })], "no access"],
    [[...file] as [StatValue][], () => [Packet.encode({ type: PACKET.stat, stat: stat("b") })], "out of turn"],
    [[[stat("a", { size: -1 })]], () => [], '"a" has a size of -1 bytes'],
    [[[stat("dev", { mode: 2 ** 26 + 0o644 })]], () => [], '"dev" is a device or a socket'],
    [[[stat("a", { xattrs: { "user.x": new Uint8Array(65537) } })]], () => [], "an extended attribute is too large"],
    [[[stat("a", { xattrs: { "user.\0": bytes("x") } })]], () => [], "an extended attribute has a broken name"],
  ];
  for (const [files, answer, message] of rows) {
    const { client } = folderClient(files, answer);
    await assertRejects(() => readAll(client), Error, message);
  }
});

Deno.test("a client that sends more of a file asked for ahead than it announced is refused at once", async () => {
  const { client } = folderClient(
    [[stat("a", { size: 4 })], [stat("b", { size: 4 })]],
    // Nothing of the first file comes, and the second one never ends.
    (ID) =>
      ID === 0 ? [] : Array.from({ length: 1000 }, () => Packet.encode({ type: PACKET.data, ID, data: bytes("abc") })),
  );
  await assertRejects(() => readAll(client), Error, '"b" changed while it was sent');
});

Deno.test("a folder that is read no more does not wait for a client that is silent", async () => {
  const client: GRPCClient = {
    closed: new Promise(() => {}),
    close() {},
    async *call(_method, _messages, { signal } = {}) {
      yield Packet.encode({ type: PACKET.stat, stat: stat("a", { size: 4 }) });
      yield Packet.encode({ type: PACKET.stat });
      await new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    },
  };
  const open = await openClientFolder(client, { name: "context" }, none);
  const reading = open.read([0])[Symbol.asyncIterator]().next();
  const failed = assertRejects(() => reading, Error, "read no more");
  await open[Symbol.asyncDispose]();
  await failed;
});
