import { type ChannelMarker, type MARKER, markerIs, streamMarkerOf } from "../../plan/marker.ts";
import type { Schema } from "../../plan/schema.ts";
import { Components, isObject } from "../components.ts";
import { type Definitions, describeAll, type Described, isOptional, listOf } from "../described.ts";
import type { JSONSchema } from "../openapi_types.ts";
import { sampleOf } from "./sample.ts";
import { isIdentifier, literalKey } from "../property_name.ts";

/** Lines of code are about as long as this at the most. */
const WIDTH = 60;

/** Code in place of a value. */
class Code {
  constructor(readonly text: string) {}
}

/**
 * Writes a call of each operation with the client module, with made-up arguments: its code by the operation's name.
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "../../mod.ts";
 * import { clientSamples } from "../../surfaces.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * console.assert(clientSamples(calculator).get("Add") === "const result = await client.Add(0n, 0n);");
 * ```
 */
export function clientSamples(definitions: Definitions): ReadonlyMap<string, string> {
  const components = new Components();
  return new Map(
    describeAll(listOf(definitions)).map((described) => [described.id, sampleCall(described, components)]),
  );
}

function sampleCall(described: Described, components: Components): string {
  const { id, plan: { arguments: all, result } } = described;
  const lastNeeded = all.findLastIndex(({ schema }) => !isOptional(schema));
  const values = all.slice(0, lastNeeded + 1).map(({ schema }, index) => {
    if (streamMarkerOf(schema)) return 'new Blob(["…"])';
    const { item } = markerIs<ChannelMarker<Schema> & { readonly [MARKER]: "chan" }>(schema, "chan") ?? {};
    if (item) {
      const value = sampleOf(components.lift(item, `${id}Item`), components.schemas, codeLeaf);
      return `(async function* () { yield ${codeOf(value)}; })()`;
    }
    const json = components.lift(schema, `${id}Argument${index + 1}`);
    return codeOf(sampleOf(json, components.schemas, codeLeaf));
  });
  const path = id.split(".").map((name) => isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`);
  const call = `await client${path.join("")}(${values.join(", ")})`;
  if (result.shape === "channel") return `for await (const value of ${call}) {\n  console.log(value);\n}`;
  const count = result.schemas.length;
  if (result.fallible) {
    const names = count === 0 ? "error" : count === 1 ? "[result, error]" : "[...results]";
    return `const ${names} = ${call};`;
  }
  if (count === 0) return `${call};`;
  const note = result.shape === "stream" ? " // a ReadableStream" : "";
  return `const ${count === 1 ? "result" : "results"} = ${call};${note}`;
}

/** Writes the sample of a value as its kind is in JavaScript, which JSON cannot tell. */
function codeLeaf(json: JSONSchema, sample: unknown): unknown {
  if (json.format === "binary") return new Code('new File(["…"], "name.txt")');
  switch (json["x-gantry-kind"]) {
    case "int64":
    case "uint64":
      return typeof sample === "number" || typeof sample === "bigint" ? new Code(`${sample}n`) : sample;
    case "time":
      return new Code(`new Date(${JSON.stringify(sample)})`);
    case "bytes":
      return new Code("new Uint8Array([104, 105])");
    default:
      return sample;
  }
}

/** Writes a value as JavaScript, in one line where it fits. */
function codeOf(value: unknown, indent = ""): string {
  if (value instanceof Code) return value.text;
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return value === undefined ? "undefined" : JSON.stringify(value);
  const parts = (space: string) =>
    isList ? value.map((item) => codeOf(item, space)) : Object.entries(value).map(([name, item]) => {
      return `${literalKey(name)}: ${codeOf(item, space)}`;
    });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = parts(indent).join(", ");
  if (line === "") return open + close;
  if (line.length <= WIDTH && !line.includes("\n")) return isList ? `[${line}]` : `{ ${line} }`;
  const deeper = `${indent}  `;
  return `${open}\n${parts(deeper).map((part) => `${deeper}${part},\n`).join("")}${indent}${close}`;
}
