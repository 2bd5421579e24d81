/** The rooms of the houses: how many files they hold, and which rooms may import which. */
import { assert, assertEquals } from "@std/assert";
import { circles, codeOf, filesBelow, folderOf, importsOf, sources } from "../fixtures/source_tree.ts";

/** The most source files in one folder: a reader takes in that many names at a glance. */
const MOST_FILES = 20;

/** Folders with more files, each with its reason. There is none today. */
const LARGE_FOLDERS: Record<string, string> = {};

Deno.test("no folder holds more than 20 source files", () => {
  const files = ["lib/", "handlers/", "scripts/", "tests/"].flatMap(filesBelow);
  const counts = new Map<string, number>();
  for (const folder of files.map(folderOf)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  assert(counts.size > 40, "the walk found the tree");
  const large = [...counts].filter(([, count]) => count > MOST_FILES).map(([folder]) => folder).sort();
  assertEquals(large, Object.keys(LARGE_FOLDERS).sort());
});

Deno.test("no file imports itself at run time through others", () => {
  assertEquals(circles(({ isType }) => !isType), []);
});

Deno.test("files that import each other, types included, stand in one folder", () => {
  assertEquals(circles(() => true).filter((circle) => new Set(circle.map(folderOf)).size > 1), []);
});

Deno.test("the root of lib/rest holds its public faces only", () => {
  assertEquals(
    filesBelow("lib/rest/").filter((path) => folderOf(path) === "lib/rest").map((path) => path.slice(9, -3)),
    [
      ..."api auth batch client context define definition error events handler handlers implement link mod problem"
        .split(
          " ",
        ),
      ..."server surfaces".split(" "),
    ],
  );
});

/** The rooms of the transport, lowest first: each imports only rooms before it. */
const REST_ROOMS = [
  "tag",
  "plan",
  "codecs",
  "route",
  "check",
  "run",
  "call",
  "channels",
  "batch",
  "duplex",
  "surfaces",
];

/** Imports of a later room, each with its reason. */
const REST_EXCEPTIONS: Record<string, string> = {
  "lib/rest/plan/marker.ts -> lib/rest/codecs/base64.ts": "the schema of bytes reads base64 itself",
};

Deno.test("the rooms of lib/rest import one way", () => {
  const roomOf = (path: string) => REST_ROOMS.indexOf(path.split("/")[2]);
  const wrong: string[] = [];
  for (const path of sources.filter((path) => path.startsWith("lib/rest/") && roomOf(path) >= 0)) {
    for (const { to } of importsOf(path)) if (roomOf(to) > roomOf(path)) wrong.push(`${path} -> ${to}`);
  }
  assertEquals(wrong, Object.keys(REST_EXCEPTIONS));
});

Deno.test("the ports of the engine import records and errors only, and records nothing but the formats of OCI", () => {
  const wrong: string[] = [];
  for (const path of sources) {
    const allowed = path.startsWith("lib/engine/ports/")
      ? /^lib\/(oci|engine\/(ports|records))\/|^lib\/engine\/errors\.ts$/
      : path.startsWith("lib/engine/records/")
      ? /^lib\/(oci|engine\/records)\//
      : undefined;
    for (const { to } of importsOf(path)) if (allowed?.test(to) === false) wrong.push(`${path} -> ${to}`);
  }
  assertEquals(wrong, []);
});

/** Imports of another part of the engine by the platform, each with its reason. */
const ENGINE_EXCEPTIONS: Record<string, string> = {};

Deno.test("the platform knows the engine by its ports, records, texts, errors and locks", () => {
  const known = /^lib\/engine\/(ports\/|records\/|text\/|errors\.ts$|store\/locks\.ts$)/;
  const wrong: string[] = [];
  for (const path of sources.filter((path) => /^lib\/platform\/(?!entries\/)/.test(path))) {
    for (const { to } of importsOf(path)) {
      if (to.startsWith("lib/engine/") && !known.test(to)) wrong.push(`${path} -> ${to}`);
    }
  }
  assertEquals(wrong, Object.keys(ENGINE_EXCEPTIONS));
});

/** The file that starts programs: it closes what they must not inherit, and keeps the server's environment from them. */
const STARTER = "lib/platform/linux/helpers/spawn.ts";

Deno.test("one file starts programs", () => {
  assertEquals(sources.filter((path) => /\bspawn(?:Sync)?\(/.test(codeOf(path))), [STARTER]);
  const users = sources.filter((path) => /^import (?!type\b)[^;]*"node:child_process"/m.test(codeOf(path)));
  assertEquals(users, [STARTER], "others import its types only");
});
