/** This machine has no journal: entries as conmon sends them and `journalctl --output=json` writes them stand for one. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { parseK8sLog } from "../../../../lib/engine/text/logs/k8s_log.ts";
import { journalLine, readJournal } from "../../../../lib/platform/linux/logs/journal_log.ts";
import { heapGrowth } from "../../../fixtures/heap_growth.ts";

const ID = "f".repeat(64);

function entry(MESSAGE: unknown, more: Record<string, string> = {}): string {
  return JSON.stringify({
    __CURSOR: "s=3b3c;i=1",
    __REALTIME_TIMESTAMP: "1763700000123456",
    _TRANSPORT: "journal",
    _PID: "4711",
    _COMM: "conmon",
    CONTAINER_ID: ID.slice(0, 12),
    CONTAINER_ID_FULL: ID,
    CONTAINER_NAME: "web",
    SYSLOG_IDENTIFIER: "web",
    PRIORITY: "6",
    MESSAGE,
    ...more,
  });
}

const ENTRIES = [
  entry("hello"),
  entry("trouble", { PRIORITY: "3" }),
  entry("begun ", { CONTAINER_PARTIAL_MESSAGE: "true" }),
  entry("and ended"),
  // What is no text is a list of its bytes.
  entry([255, 0, 65]),
  // What is too large is not told.
  entry(null),
  "-- No entries --",
];

Deno.test("journalLine() reads an entry of conmon's as a line of a log", () => {
  const text = (line: string) => new TextDecoder().decode(journalLine(line));
  const time = new Date(1763700000123).toISOString().slice(0, -1) + "456000+00:00";
  assertEquals(text(ENTRIES[0]), `${time} stdout F hello\n`);
  assertEquals(text(ENTRIES[1]), `${time} stderr F trouble\n`);
  assertEquals(text(ENTRIES[2]), `${time} stdout P begun \n`);
  assertEquals(text(entry("hello\n")), text(ENTRIES[0]), "as conmon 2.1.12 writes it");
  assertEquals(text(entry([104, 10, 10])), `${time} stdout F h\n\n`, "one end of a line goes, and no more");
  assertEquals(journalLine(ENTRIES[5]), undefined);
  assertEquals(journalLine(ENTRIES[6]), undefined);
});

/** A program that writes the entries and, when it is to follow, goes on until it is ended. */
async function journalctl(folder: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/entries`, ENTRIES.join("\n") + "\n");
  const script = `#!/bin/sh
echo "$@" > ${folder}/args
cat ${folder}/entries
case "$*" in *--follow*) sleep 0.2; head -n 1 ${folder}/entries; exec sleep 100;; esac
`;
  await Deno.writeTextFile(`${folder}/journalctl`, script, { mode: 0o755 });
  return `${folder}/journalctl`;
}

Deno.test("readJournal() gives a container's entries, and those to come until its end", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-journal-" });
  const program = await journalctl(folder);
  const read = async (options: Parameters<typeof readJournal>[1]) => {
    const records = await Array.fromAsync(parseK8sLog(readJournal(ID, options, program)));
    return records.flat().map(({ stream, partial, data }) => [stream, partial, new TextDecoder("latin1").decode(data)]);
  };
  const whole = [
    ["stdout", false, "hello\n"],
    ["stderr", false, "trouble\n"],
    ["stdout", true, "begun "],
    ["stdout", false, "and ended\n"],
    ["stdout", false, "\xff\0A\n"],
  ];
  assertEquals(await read({}), whole);
  const args = (await Deno.readTextFile(`${folder}/args`)).trim();
  assertEquals(args, `--no-pager --quiet --output=json CONTAINER_ID_FULL=${ID}`);
  const end = new Promise<void>((resolve) => setTimeout(resolve, 100));
  assertEquals(await read({ followUntil: end }), [...whole, whole[0]]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("readJournal() says that there is no journalctl, and ends with its reader", async () => {
  const none = readJournal(ID, {}, "/nowhere/journalctl");
  await assertRejects(() => Array.fromAsync(none), Error, "Read journal:");
  const folder = await Deno.makeTempDir({ prefix: "gantry-journal-" });
  const reader = readJournal(ID, { followUntil: new Promise(() => {}) }, await journalctl(folder)).getReader();
  await reader.read();
  await reader.cancel();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("readJournal() keeps nothing of the entries that went through (each left a waiting promise on the heap)", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-journal-" });
  const line = JSON.stringify({ __REALTIME_TIMESTAMP: "1763700000123456", MESSAGE: "x" });
  await Deno.writeTextFile(`${folder}/journalctl`, `#!/bin/sh\nexec yes '${line}'\n`, { mode: 0o755 });
  const reader = readJournal(ID, {}, `${folder}/journalctl`).getReader();
  const grown = await heapGrowth(200_000, () => reader.read());
  await reader.cancel();
  await Deno.remove(folder, { recursive: true });
  assert(grown < 10 * 1024 * 1024, `the heap grew by ${grown} bytes`);
});
