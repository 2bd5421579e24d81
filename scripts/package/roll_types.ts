/** Gathers declarations into one file for each export. */
import { rollup } from "npm:rollup@4.67.4";
import { dts } from "npm:rollup-plugin-dts@6.5.1";
// The compiler that the plugin runs: the last version that is JavaScript.
import "npm:typescript@6.0.3";
import { withInitTypes } from "../declarations.ts";

/**
 * Writes one file of declarations for each entry into `to`, and one for what several of them share. JSR drops declarations that no
 * export needs, and then misses them in the files that it keeps: so there must be none of these.
 *
 * @param entries Files of declarations, by the names of what is written
 */
export async function rollTypes(entries: Readonly<Record<string, string>>, to: string): Promise<void> {
  const build = await rollup({
    input: entries,
    external: (name) => !/^[./]/.test(name),
    plugins: [dts({ compilerOptions: { strict: true, skipLibCheck: true, types: [] } })],
    // Types of the engine that nobody has to name are not exported.
    logLevel: "silent",
  });
  try {
    const names = { entryFileNames: "[name].d.ts", chunkFileNames: "shared_[hash].d.ts" };
    const { output } = await build.write({ dir: to, format: "es", ...names });
    for (const file of output) {
      if (file.type === "chunk") await Deno.writeTextFile(`${to}/${file.fileName}`, withInitTypes(file.code));
    }
  } finally {
    await build.close();
  }
}
