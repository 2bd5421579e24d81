import { assertEquals } from "@std/assert";
import type { BuildOptions } from "../../../lib/engine/build/build_options.ts";
import type { AssembleOptions } from "../../../lib/engine/images/store/assemble.ts";
import { openTestEngine, type TestEngine } from "../../fixtures/handlers/test_engine.ts";

const PLATFORM = { architecture: "amd64", os: "linux" };

Deno.test("CompatHistoryImage has the IDs of recorded parents, and in Podman's versions those of all that are here", async () => {
  await using test = await openTestEngine();
  const below = await assemble(test, { history: [step("one")] });
  // As two pulled images of which one has all of the other: no commit or build here made it.
  const base = await assemble(test, { base: below, history: [step("two")], names: ["localhost/base"] });
  const classic = await build(test, "FROM localhost/base\nLABEL a=1\nLABEL b=2\n", { recordsParents: true });
  const others = await build(test, "FROM localhost/base\nLABEL c=1\n");
  const { parent = "" } = test.engine.images.resolve(classic);
  const ids = async (version: string, id: string) => {
    const steps: { Id: string }[] = await (await test.send("GET", `${version}/images/${id}/history`)).json();
    return steps.map(({ Id }) => Id);
  };
  const digests = (...ids: string[]) => ids.map((id) => `sha256:${id}`);
  assertEquals(await ids("/v1.44", classic), [...digests(classic, parent, base), "<missing>"]);
  assertEquals(await ids("", others), [...digests(others), "<missing>", "<missing>"]);
  assertEquals(await ids("", base), [...digests(base), "<missing>"]);
  assertEquals(await ids("/v1.41", others), digests(others, base, below));
  await test.engine.images.untag("localhost/base", []);
  const inspected = await (await test.send("GET", `/v1.44/images/${classic}/json`)).json();
  const listed: { Id: string; ParentId: string }[] = await (await test.send("GET", "/v1.44/images/json?all=1")).json();
  const parents = Object.fromEntries(listed.map(({ Id, ParentId }) => [Id.slice("sha256:".length), ParentId]));
  assertEquals([inspected.Parent, parents[classic], parents[parent]], digests(parent, parent, base));
  assertEquals([parents[others], parents[base]], ["", ""]);
});

Deno.test("CompatHistoryImage says <missing> as a digest in Podman's versions, as its service", async () => {
  await using test = await openTestEngine();
  const id = await assemble(test, { history: [step("one"), step("two")] });
  const [, second] = await (await test.send("GET", `/v1.41/images/${id}/history`)).json();
  assertEquals(second.Id, "sha256:<missing>");
});

function step(created_by: string) {
  return { created_by, empty_layer: true };
}

async function assemble({ engine }: TestEngine, options: Pick<AssembleOptions, "base" | "history" | "names">) {
  const config = { ...PLATFORM, rootfs: { type: "layers" as const, diff_ids: [] } };
  return (await engine.images.assemble({ ...options, layers: [], config, format: "docker" })).id;
}

async function build({ engine }: TestEngine, text: string, options: Partial<BuildOptions> = {}): Promise<string> {
  const dockerfileTexts = [{ name: "Dockerfile", text }];
  const told = await Array.fromAsync(engine.builds.build({ dockerfiles: [], dockerfileTexts, ...options }));
  const last = told.at(-1);
  if (last?.kind !== "done") throw new Error("the build was not done");
  return last.id;
}
