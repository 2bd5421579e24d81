/** Today's generator of Podman beside ours, in long runs: the units of every quadlet of the corpus. */
import { assertEquals } from "@std/assert";
import { convertQuadlets } from "../../lib/engine/quadlets/convert/convert_quadlets.ts";
import { splitWords } from "../../lib/engine/units/words.ts";
import { LATER_QUADLET } from "../../scripts/later_debian/client_programs.ts";
import { GOOD } from "../engine/quadlets/corpus.ts";
import { registerLong } from "../long_run.ts";

/** Quadlets whose units differ, and why ours are as they are. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "quotes and escapes in words":
    "Podman leaves out a value with an escape that it does not know; systemd keeps the escape",
  "windows line ends, a byte order mark and comments": "Podman refuses the mark, which systemd skips",
  "a pod with its containers": "Podman wants a template as it is, which systemd cannot start",
};

registerLong("the units of the corpus are those that podman 5.8's generator writes", async () => {
  const different: string[] = [];
  for (const [title, { name, text, others = {} }] of Object.entries(GOOD)) {
    const folder = await Deno.makeTempDir();
    try {
      const files = Object.entries({ [name]: text, ...others }).map(([name, text]) => ({ name, text }));
      for (const { name, text } of files) {
        await Deno.mkdir(`${folder}/${name}`.replace(/[^/]*$/, ""), { recursive: true });
        await Deno.writeTextFile(`${folder}/${name}`, text);
      }
      const [{ name: unit, text: own }] = convertQuadlets(files, { folder }, [name]);
      const theirs = (await generate(folder)).get(unit) ?? "";
      if (JSON.stringify(linesOf(own)) !== JSON.stringify(linesOf(theirs))) different.push(title);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
  assertEquals(different.sort(), Object.keys(DIFFERENT).sort());
});

async function generate(folder: string): Promise<Map<string, string>> {
  const options = { args: ["-dryrun"], env: { QUADLET_UNIT_DIRS: folder } };
  const { stdout } = await new Deno.Command(LATER_QUADLET, options).output();
  const [, ...parts] = new TextDecoder().decode(stdout).split(/^---(.*)---$/m);
  return new Map(parts.flatMap((part, at) => at % 2 === 0 ? [[part, parts[at + 1]]] : []));
}

/** The lines that systemd reads, in order. Podman writes the flags of a command in another order each time, and quotes otherwise. */
function linesOf(unit: string): string[] {
  let section = "";
  return unit.split("\n").flatMap((line) => {
    const text = line.trim();
    if (text.startsWith("[")) section = text;
    if (/^(?:$|[[#;])/.test(text) || section.startsWith("[X-")) return [];
    const at = text.indexOf("=");
    return [`${section} ${text.slice(0, at)} ${JSON.stringify(splitWords(text.slice(at + 1)).sort())}`];
  }).sort();
}
