/** The two packages of the tree: the transport alone, and the engine, which depends on it. */

/** A package as both registries get it. */
export interface Package {
  readonly name: string;
  readonly description: string;
  /** Modules of the tree by the export that offers them. */
  readonly exports: Readonly<Record<string, string>>;
  /** The texts of a package, by their name in it: paths from the root of the tree. */
  readonly texts: Readonly<Record<string, string>>;
  /** Exports that no browser and no Worker can load. */
  readonly server: readonly string[];
  /** Commands by name: the export whose module is the program. */
  readonly commands: Readonly<Record<string, string>>;
}

/** The facts of `deno.json` for both packages. */
export interface Tree {
  readonly version: string;
  readonly license: string;
  readonly transport: Package;
  readonly engine: Package;
}

const TRANSPORT = "@gantry/rest";

/** Whether an exported module of the tree belongs to the transport. */
function isTransport(path: string): boolean {
  return path.startsWith("lib/rest/") || path === "lib/platform/http/serve.ts";
}

/** The name of an export of the tree in the package of the transport: `./rest/client` is `./client` there. */
function transportExport(name: string): string {
  return name === "./rest" ? "." : name.replace(/^\.\/rest\//, "./");
}

/** Reads the packages from `deno.json`: each file of its `exports` is an export of the engine, and the transport's are its own. */
export async function readPackages(root: URL): Promise<Tree> {
  const config: { name: string; version: string; license: string; exports: Record<string, string> } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", root)),
  );
  const exports = Object.entries(config.exports).map(([name, path]) => [name, path.replace(/^\.\//, "")] as const);
  const shared = exports.filter(([, path]) => isTransport(path));
  return {
    version: config.version,
    license: config.license,
    transport: {
      name: TRANSPORT,
      description: "A typed function and a one-line tag are an HTTP endpoint, and a typed client for it",
      exports: Object.fromEntries(shared.map(([name, path]) => [transportExport(name), path])),
      texts: {
        "README.md": "docs/transport/README.md",
        "llms.txt": "docs/transport/llms.txt",
        "channels.md": "docs/transport/channels.md",
        "guide.md": "docs/transport/guide.md",
        "tags.md": "docs/transport/tags.md",
        "names.md": "docs/transport/names.md",
        "options.md": "docs/transport/options.md",
        "contract.md": "docs/transport/contract.md",
        "deploy.md": "docs/transport/deploy.md",
        "LICENSE": "LICENSE",
      },
      server: ["./serve"],
      commands: {},
    },
    engine: {
      name: config.name,
      description: "A container engine that speaks the wire format of Podman and Docker",
      exports: Object.fromEntries(exports),
      texts: { "README.md": "README.md", "LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md" },
      server: ["./serve", "./host", "./client", "./pretend", "./cli"],
      commands: { gantry: "./cli" },
    },
  };
}

/** The specifier of an exported module of the transport; undefined for any other. */
export function transportSpecifier(path: string, transport: Package): string | undefined {
  const found = Object.entries(transport.exports).find(([, file]) => file === path);
  return found && packageSpecifier(transport.name, found[0]);
}

/** An export as users write it: `@gantry/rest/client` for `./client`. */
export function packageSpecifier(name: string, exported: string): string {
  return exported === "." ? name : `${name}/${exported.slice(2)}`;
}

/** Replaces, in documents, the names that the transport's exports have in the tree by those that they have in its package. */
export function transportNames(text: string, engine: string): string {
  return text.replaceAll(`${engine}/rest`, TRANSPORT).replaceAll(
    new RegExp(`${engine}/(surfaces|serve)\\b`, "g"),
    `${TRANSPORT}/$1`,
  );
}

/** Names packages in the examples of documents as Node does: `zod` for `npm:zod@4.6.7`. */
export function bareSpecifiers(text: string): string {
  return text.replaceAll(/(from ")npm:((?:@[^@/"]+\/)?[^@/"]+)@[^/"]+/g, "$1$2");
}

/**
 * The transport's part of the changelog: each version with its sections whose headings begin with "Transport", or a line
 * that says that nothing changed.
 */
export function transportChanges(changelog: string): string {
  const [, ...versions] = changelog.split(/^## /m);
  const parts = versions.map((version) => {
    const [heading, ...sections] = version.split(/^### /m);
    const own = sections.filter((section) => section.startsWith("Transport")).map((section) => `### ${section.trim()}`);
    return `## ${heading.split("\n")[0]}\n\n${own.length === 0 ? "No changes of this package." : own.join("\n\n")}`;
  });
  return `# Changelog\n\nThis file lists changes, newest first.\n\n${parts.join("\n\n")}\n`;
}
