/**
 * The page of what works, made of the tests that drive real containers by real clients: a claim nobody tests cannot stand there.
 *
 * @module
 */
import { REFUSED_PARAMETERS } from "../../handlers/builds/refuse_parameters.ts";

/** The page's path from the root. */
export const WORKS_PAGE = "docs/engine/what-works.md";

/** `fmt.lineWidth` of `deno.json`. */
const WIDTH = 120;

/** The families of tests by their folders; those that lie in no folder are sessions. */
const FAMILIES: Readonly<Record<string, string>> = {
  "": "Sessions of whole clients",
  containers: "Containers",
  files: "Files of containers",
  images: "Images and registries",
  build: "Builds",
  networks: "Networks and ports",
  volumes: "Volumes",
  pods: "Pods",
  kube: "Kubernetes documents",
  compose: "Compose",
  client: "The client for programs",
  system: "The system",
  model: "Many clients at once",
  hostile: "Under attack",
};

/** Clients by what stands in a test that drives them. */
const CLIENTS: Readonly<Record<string, RegExp>> = {
  "podman (Debian 12: 4.3.1)": /\bpodman\(|\.podmanAt\(/,
  "podman (Debian testing: 5.8), `task test:long`": /LATER_PODMAN|LATER_QUADLET/,
  "docker": /\bdocker\(|"docker"/,
  "docker compose": /COMPOSE_PLUGIN|\bcompose\(/,
  "docker buildx": /BUILDX_PLUGIN|buildx/,
  "dockerode": /npm:dockerode|"dockerode"/,
  "docker-py (Debian 12: 5.0.3)": /docker_py_/,
  "testcontainers": /"testcontainers"|npm:testcontainers/,
  "skopeo": /"skopeo"/,
  "buildah": /"buildah"/,
  "curl, fetch, WebSocket": /\.request\(|new WebSocket|fetch\(/,
};

/** The tests of a file. */
interface HostTests {
  path: string;
  family: string;
  clients: string[];
  tests: { name: string; steps: string[] }[];
}

/** Writes the page, from the tests below a root. */
export async function worksPage(root: URL): Promise<string> {
  const files: HostTests[] = [];
  for await (const path of testFiles(root, "tests/host/")) {
    const text = await Deno.readTextFile(new URL(path, root));
    const folder = path.split("/").length > 3 ? path.split("/")[2] : "";
    const clients = Object.keys(CLIENTS).filter((client) => CLIENTS[client].test(text));
    const tests = testsIn(text);
    if (tests.length > 0) files.push({ path, family: FAMILIES[folder] ?? folder, clients, tests });
  }
  files.sort((a, b) => a.path < b.path ? -1 : 1);
  const order = Object.values(FAMILIES);
  const families = [...new Set(files.map(({ family }) => family))].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return [
    "# What works",
    "",
    ...wrapLine(
      "Each line below is the name of a test that drives real containers on a Linux host, by the clients that are named, and " +
        "runs in `deno task test` (a few only in `task test:long`). `deno task generate` makes this page of the tests.",
    ),
    "",
    "## By client",
    "",
    ...Object.keys(CLIENTS).map((client) => {
      const count = files.filter(({ clients }) => clients.includes(client))
        .reduce((sum, { tests }) => sum + tests.length, 0);
      return `- ${client}: ${count} tests`;
    }),
    "",
    ...families.flatMap((family) => [
      `## ${family}`,
      "",
      ...files.filter((file) => file.family === family).flatMap(fileLines),
      "",
    ]),
    "## What does not",
    "",
    ...wrapLine(
      "It is refused by name, with status 501 where it is a whole operation: swarms, plugins of others, and builds with the " +
        `parameters ${
          [...REFUSED_PARAMETERS].map((name) => `\`${name}\``).join(", ")
        }. The pages of the families say the rest.`,
    ),
    "",
  ].join("\n");
}

function fileLines({ path, clients, tests }: HostTests): string[] {
  const by = clients.length === 0 ? "" : ` (${clients.map((client) => client.replace(/ \(.*/, "")).join(", ")})`;
  const file = path.split("/").at(-1);
  return [
    ...wrapLine(`- [\`${file}\`](../../${path})${by}`, "  "),
    ...tests.flatMap(({ name, steps }) => [
      ...wrapLine(`  - ${name}`, "    "),
      ...steps.flatMap((step) => wrapLine(`    - ${step}`, "      ")),
    ]),
  ];
}

/** Breaks a line where the formatter of the repository would; `indent` begins the lines that follow. */
function wrapLine(text: string, indent = ""): string[] {
  const lines = [""];
  for (const word of text.split(/(?<=\S) /)) {
    const line = lines[lines.length - 1];
    if (line !== "" && line.length + 1 + word.length > WIDTH) lines.push(indent + word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

/** The names of tests and their steps; those that are made while they run are left out. */
function testsIn(text: string): HostTests["tests"] {
  const tests: HostTests["tests"] = [];
  for (const [, what, name] of text.matchAll(/(\bDeno\.test|\bregister|\.step)\(\s*"((?:[^"\\]|\\.)*)"/g)) {
    const shown = (JSON.parse(`"${name}"`) as string).replaceAll(/[<>|*_]|^-/g, "\\$&");
    if (what !== ".step") tests.push({ name: shown, steps: [] });
    else tests.at(-1)?.steps.push(shown);
  }
  return tests;
}

async function* testFiles(root: URL, folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    if (entry.isDirectory) yield* testFiles(root, `${folder}${entry.name}/`);
    else if (entry.name.endsWith("_test.ts")) yield folder + entry.name;
  }
}
