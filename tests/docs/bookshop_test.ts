/** The bookshop of docs/examples, written from the documents alone, runs wherever they say that an API runs. */
import { assertEquals } from "@std/assert";
import { bundled, nodeProgram } from "../fixtures/platform/test_cache.ts";
import { startWorkerd } from "../conformance/workerd.ts";
import { runOk } from "../fixtures/run.ts";

const root = new URL("../../", import.meta.url).pathname;

/** The lines that a visit of a fresh shop writes, whatever serves it and whatever calls it. */
const VISIT = `stranger 401
added 9007199254740993n 1988
found 1
in /v1 ["Fantastic Mr Fox"]
old price 9007199254740993n
stock 7
cover true
too large 413
sent back <svg
review Fantastic Mr Fox: **** Foxy, one.png (3),two.png (5)
prices [ 1200n, 1300n, 1400n ]
order 1 2800n voucher true
exported 1,9780140328721,2,2800
gone Find book 9780140328721: there is none
`;

const VISITOR = ["run", "-A", "--quiet", "docs/examples/bookshop_visit.ts"];

Deno.test("bookshop.ts is served and visited on Deno", async () => {
  assertEquals(await runOk([Deno.execPath(), ...VISITOR], { cwd: root, env: { NO_COLOR: "1" } }), VISIT);
});

Deno.test("bookshop.ts is served and visited on Node 20, 22 and 24", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-bookshop-" });
  try {
    await Deno.writeTextFile(`${folder}/visit.mjs`, await bundled("docs/examples/bookshop_visit.ts", "node"));
    await Promise.all(["20", "22", "24"].map(async (version) => {
      const command = [await nodeProgram(version), "visit.mjs"];
      assertEquals(await runOk(command, { cwd: folder, timeout: 180_000 }), VISIT, `Node ${version}`);
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("bookshop.ts is served by workerd", async () => {
  const script = await bundled("docs/examples/bookshop.ts", "workers");
  await using workerd = await startWorkerd({ script, flags: ["enable_request_signal"] });
  assertEquals(
    await runOk([Deno.execPath(), ...VISITOR, workerd.url], { cwd: root, env: { NO_COLOR: "1" } }),
    VISIT,
  );
});
