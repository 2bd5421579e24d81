/**
 * Prints how long the type check of an API takes at 10, 100 and 1,000 functions, each with a tag, schemas, an implementation and a client call, and
 * how much each function costs more as there are more of them.
 *
 * @module
 */
const root = new URL("../", import.meta.url);

/** An API of so many functions, of five shapes in turn. */
function writeProgram(count: number): string {
  const names = Array.from({ length: count }, (_, i) => i);
  const shapes: ((i: number) => [operation: string, implementation: string, call: string])[] = [
    (i) => [
      `rest("GET /things${i}/{id=%v}?all=%v", [z.string(), z.boolean().optional()], [Thing])`,
      `(id) => ({ id, size: ${i} })`,
      `(await client.F${i}("a")).size`,
    ],
    (i) => [
      `rest("POST /things${i} (name,size) id,at", [z.string(), int64], [z.string(), time])`,
      `(name, size) => [name + size, new Date()]`,
      `(await client.F${i}("a", 1n))[1].getTime()`,
    ],
    (
      i,
    ) => [
      `rest("PUT /things${i}/{id}", [Thing], [Thing, error])`,
      `(thing) => thing`,
      `(await client.F${i}({ id: "" }))[1]?.message`,
    ],
    (
      i,
    ) => [
      `rest("GET /things${i}?%v", [Filter], [z.array(Thing)])`,
      `({ names }) => names.map((id) => ({ id }))`,
      `(await client.F${i}({ names: [] }))[0].id`,
    ],
    (i) => [`rest("DELETE /things${i}/{path*=%v}", [z.string()])`, `() => {}`, `await client.F${i}("a/b")`],
  ];
  const made = names.map((i) => shapes[i % shapes.length](i));
  return `
import { api, error, implement, int64, link, rest, time } from ${JSON.stringify(new URL("lib/rest/mod.ts", root).href)};
import { z } from ${JSON.stringify(new URL("tests/fixtures/zod.ts", root).href)};
const Thing = z.object({ id: z.string(), size: z.number().optional() });
const Filter = z.object({ names: z.array(z.string()), limit: z.number().optional() });
export const definition = api("x", {
${made.map(([operation], i) => `  F${i}: ${operation},`).join("\n")}
});
export const implementation = implement(definition, {
${made.map(([, implementation], i) => `  F${i}: ${implementation},`).join("\n")}
});
const client = link(definition);
export const calls = [
${made.map(([, , call]) => `  async () => ${call},`).join("\n")}
];
`;
}

/** Checks a program in a process of its own, and returns the seconds it took. */
async function check(text: string): Promise<number> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, text);
    const from = performance.now();
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--no-lock", "--config", new URL("deno.json", root).pathname, file],
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return (performance.now() - from) / 1000;
  } finally {
    await Deno.remove(file);
  }
}

/** Type-check time at one size. */
export interface TypeTime {
  readonly functions: number;
  /** All of it, with the compiler's start and the libraries. */
  readonly seconds: number;
  /** The additional time of each function over the size before, in milliseconds. */
  readonly growth: number;
}

/** Measures the best of some rounds at each size; the first is compared with a program without functions. */
async function typeTimes(sizes: readonly number[] = [10, 100, 1000], rounds = 4): Promise<TypeTime[]> {
  const best = async (count: number) => {
    let least = Infinity;
    // Another text each time, or the answer comes out of a cache.
    for (let i = 0; i < rounds; i++) {
      least = Math.min(least, await check(`// ${crypto.randomUUID()}${writeProgram(count)}`));
    }
    return least;
  };
  // The first check fills the caches of all that is imported.
  await best(1);
  let before = { functions: 0, seconds: await best(0) };
  return await Array.fromAsync(sizes, async (functions) => {
    const seconds = await best(functions);
    const growth = (seconds - before.seconds) / (functions - before.functions) * 1000;
    before = { functions, seconds };
    return { functions, seconds, growth };
  });
}

if (import.meta.main) {
  for (const { functions, seconds, growth } of await typeTimes()) {
    console.log(
      `${String(functions).padStart(5)} functions ${seconds.toFixed(2).padStart(6)} s, ${growth < 0 ? "" : "+"}${
        growth.toFixed(2)
      } ms each`,
    );
  }
}
