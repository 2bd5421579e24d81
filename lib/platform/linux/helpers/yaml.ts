/**
 * Files of the host in YAML. The package is loaded with the first file that needs it.
 *
 * @module
 */

/**
 * Parses a document of YAML 1.1, of which JSON is a part, as the tools of the container world do. Aliases may multiply what they
 * stand for a hundred times at most. Throws `SyntaxError`.
 */
export async function parseYAML(text: string): Promise<unknown> {
  const { parse } = await import("../../../engine/text/yaml_package.ts");
  try {
    return parse(text, { version: "1.1", uniqueKeys: true, maxAliasCount: 100, logLevel: "error" });
  } catch (error) {
    // A text that is nested too deeply ends the library's own recursion.
    throw new SyntaxError(error instanceof Error ? error.message.split("\n", 1)[0] : String(error), { cause: error });
  }
}
