import { assertEquals } from "@std/assert";
import { lentPaths } from "../../../../lib/platform/linux/bundle/lent_paths.ts";
import type { RuntimeSpec, SpecMount } from "../../../../lib/platform/linux/bundle/spec_types.ts";
import { hostPaths } from "../../../../lib/platform/linux/helpers/paths.ts";

const PATHS = hostPaths("/var/lib/gantry", "/run/gantry");
const TREE = "/var/lib/gantry/containers/a/merged";
const NETNS = "/run/gantry/netns/netns-a";
const VOLUME = "/var/lib/gantry/volumes/v/_data";

/** The paths of a container with these mounts, otherwise plain but for the changes. */
function lentOf(mounts: SpecMount[], change: (spec: RuntimeSpec) => void = () => {}) {
  const spec = {
    process: { terminal: false },
    root: { path: TREE },
    mounts: [{ destination: "/proc", type: "proc", source: "proc" }, ...mounts],
    linux: { namespaces: [{ type: "pid" }, { type: "network", path: NETNS }], rootfsPropagation: "private" },
  } as unknown as RuntimeSpec;
  change(spec);
  return lentPaths(spec, PATHS);
}

const bind = (source: string): SpecMount => ({ destination: "/x", type: "bind", source, options: ["rbind"] });

Deno.test("lentPaths() gives the tree, namespaces and volumes, each once", () => {
  assertEquals(lentOf([]), [TREE, NETNS]);
  assertEquals(lentOf([bind(VOLUME), bind(VOLUME)]), [TREE, NETNS, VOLUME]);
  // A namespace of a process is found by any process.
  assertEquals(
    lentOf([], ({ linux }) => linux.namespaces[1].path = "/proc/12/ns/net"),
    [TREE],
  );
});

Deno.test("lentPaths() gives nothing for a container that needs more of the host", () => {
  for (const source of ["/", "/var", "/var/lib/gantry", "/home/me", "/var/lib/gantry-2/x"]) {
    assertEquals(lentOf([bind(source)]), undefined, source);
  }
  assertEquals(lentOf([{ destination: "/x", source: "/home/me", options: ["bind"] }]), undefined);
  const changes: ((spec: RuntimeSpec) => void)[] = [
    ({ process }) => process.terminal = true,
    ({ root }) => root.path = "/srv/tree",
    ({ linux }) => linux.rootfsPropagation = "rslave",
    ({ linux }) => linux.namespaces[1].path = "/var/run/netns/mine",
    (spec) => spec.hooks = { prestart: [{ path: "/bin/true" }] },
  ];
  for (const change of changes) assertEquals(lentOf([], change), undefined, String(change));
});
