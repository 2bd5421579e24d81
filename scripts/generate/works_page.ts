/**
 * The page of what works, made of the tests that drive real containers by real clients: a claim nobody tests cannot stand there.
 *
 * @module
 */
import { REFUSED_PARAMETERS } from "../../handlers/builds/refuse_parameters.ts";
import { LATER_SKIPPED } from "../../tests/later_debian/skipped_tests.ts";

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

/** The hosts whose programs run the tests. Tests that are left out on the last one follow its line. */
const HOSTS: readonly string[] = [
  "Debian 12 (crun 1.8, runc 1.1, netavark 1.4 on iptables, conmon 2.1.6), cgroups v1 and hybrid: all, `deno task test`",
  "Debian 13 (crun 1.21, netavark 1.14 on nftables) with systemd and cgroups v2: a part, `deno task test:vm`",
  "Debian testing (crun 1.28, runc 1.3, netavark 1.17 on nftables, conmon 2.1.13, Podman 5.8, Docker's client 28.5): all, " +
  "`deno task test:later`",
];

/** Clients that were driven by hand, with versions and what they did; no test runs them whole. */
const TRIED: readonly string[] = [
  "Dev Containers CLI 0.89 (Docker's client 28 with buildx 0.29): `up`, `exec` and `build` of an image, a Dockerfile and a compose file, with " +
  "features of local folders, also with `--buildkit never`",
  "Ansible's `community.docker` (ansible 14): containers, networks, volumes, images, compose, `exec`, copies and prunes; a second run of " +
  "the same tasks changes nothing but `docker_image_export`, which compares short names",
  "Ansible's `containers.podman` (ansible 14) by Podman 5.8: containers, pods, networks, volumes, secrets, builds and `kube play`; a second " +
  "run changes nothing but a health check whose command the task begins with `CMD-SHELL`",
  "docker-py 7.2, most of its own integration tests: swarms, removals of a link alone, driver options of endpoints and Docker's own error " +
  "texts are what it does not find",
  "Docker Compose 2.40 and buildx 0.29 by Docker's client 28: `watch` with each of its actions, `bake` with a matrix, metadata files, " +
  "`commit`, `cp`, `events`, `wait`, archives of several images, contexts, `update`; `bake --check` is refused, and `publish` was not " +
  "tried to the end",
  "podman-py 5.8, most of its own integration tests: names with blanks in hosts files and builds of nothing are what it does not find",
  "podman-compose 1.6 by Podman 5.8: `up --build`, `ps`, `exec`, `run`, `restart`, `down`",
  "Cockpit's page for Podman (cockpit-podman of Debian testing): lists, details, logs, consoles, health checks, pausing, " +
  "deleting, pods and images; its dialogs for new containers, new names and commits were not tried to the end",
  "skopeo 1.9 and 1.22 and buildah 1.43 with `docker-daemon:`, both ways",
  "distrobox 1.8 by Docker's client: `create`, `list`, `rm`",
  "npm's docker-compose, node-docker-api, harbor-master and docker-events",
];

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
    "## By host",
    "",
    ...HOSTS.flatMap((host) => wrapLine(`- ${host}`, "  ")),
    ...LATER_SKIPPED.flatMap(({ skipped }) => skipped).flatMap(({ name, reason }) =>
      wrapLine(`  - left out: ${escapeName(name)}: ${reason}`, "    ")
    ),
    "",
    ...families.flatMap((family) => [
      `## ${family}`,
      "",
      ...files.filter((file) => file.family === family).flatMap(fileLines),
      "",
    ]),
    "## Tried by hand",
    "",
    "No test runs these whole; what was found with them has tests of its own.",
    "",
    ...TRIED.flatMap((line) => wrapLine(`- ${line}`, "  ")),
    "",
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
  for (const [, what, name] of text.matchAll(/(\bDeno\.test|\bregister(?:Long)?|\.step)\(\s*"((?:[^"\\]|\\.)*)"/g)) {
    const shown = escapeName(JSON.parse(`"${name}"`));
    if (what !== ".step") tests.push({ name: shown, steps: [] });
    else tests.at(-1)?.steps.push(shown);
  }
  return tests;
}

/** A test's name, as Markdown shows it. */
function escapeName(name: string): string {
  return name.replaceAll(/[<>|*_]|^-/g, "\\$&");
}

async function* testFiles(root: URL, folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    if (entry.isDirectory) yield* testFiles(root, `${folder}${entry.name}/`);
    else if (entry.name.endsWith("_test.ts")) yield folder + entry.name;
  }
}
