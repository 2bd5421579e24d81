import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { readDeviceFile } from "../../../../../lib/platform/linux/bundle/cdi/spec_file.ts";
import { parseYAML } from "../../../../../lib/platform/linux/helpers/yaml.ts";

const YAML = `
cdiVersion: "0.6.0"
kind: vendor.com/class
containerEdits:
  env: [SHARED=1]
devices:
  - name: one
    containerEdits:
      deviceNodes:
        - { path: /dev/one, hostPath: /dev/null, type: c, fileMode: 0660, permissions: rw }
      mounts:
        - { hostPath: /usr/lib, containerPath: /vendor, options: [ro, rbind] }
      hooks:
        - { hookName: createContainer, path: /bin/true, args: [true] }
      additionalGids: [7]
  - name: 0
    containerEdits: { env: [ZERO=] }
`;

Deno.test("readDeviceFile() reads YAML as vendors write it", async () => {
  const { kind, devices, edits } = readDeviceFile(await parseYAML(YAML.replace("args: [true]", 'args: ["true"]')));
  assertEquals([kind, [...devices.keys()], edits.env], ["vendor.com/class", ["one", "0"], ["SHARED=1"]]);
  const { deviceNodes: [node], mounts, hooks, additionalGids } = devices.get("one")!;
  assertEquals([node.path, node.hostPath, node.type, node.fileMode, node.permissions], [
    ...["/dev/one", "/dev/null", "c", 0o660, "rw"],
  ]);
  assertEquals(mounts, [{ hostPath: "/usr/lib", containerPath: "/vendor", type: undefined, options: ["ro", "rbind"] }]);
  assertEquals(hooks.map(({ stage, path }) => [stage, path]), [["createContainer", "/bin/true"]]);
  assertEquals(additionalGids, [7]);
});

Deno.test("readDeviceFile() refuses what it does not know, and what cannot be", () => {
  const devices = (containerEdits: unknown) => [{ name: "d", containerEdits }];
  const rows: [change: Record<string, unknown>, text: string][] = [
    [{ cdiVersion: "9.0.0" }, 'invalid version "9.0.0"'],
    [{ kind: "gpu" }, 'invalid kind "gpu"'],
    [{ devices: [] }, "no devices"],
    [{ odd: 1 }, 'unknown field "odd"'],
    [{ devices: devices({ netDevices: [{}] }) }, '"netDevices" is not supported yet'],
    [{ devices: devices({ intelRdt: {} }) }, '"intelRdt" is not supported yet'],
    [{ devices: devices({ env: ["X"] }) }, 'invalid environment variable "X"'],
    [{ devices: devices({ deviceNodes: [{ path: "dev/x" }] }) }, "not absolute"],
    [{ devices: devices({ deviceNodes: [{ path: "/dev/x", type: "z" }] }) }, 'invalid type "z"'],
    [{ devices: devices({ deviceNodes: [{ path: "/dev/x", permissions: "x" }] }) }, 'invalid permissions "x"'],
    [{ devices: devices({ hooks: [{ hookName: "later", path: "/x" }] }) }, 'invalid hook name "later"'],
    [{ devices: devices({ mounts: [{ hostPath: "/x", containerPath: "/a/../b" }] }) }, "not absolute"],
    [{ devices: devices({ additionalGids: [-1] }) }, "no whole number"],
    [{ devices: [...devices({}), ...devices({})] }, 'multiple device "d"'],
  ];
  const file = { cdiVersion: "0.6.0", kind: "v/c", devices: devices({ env: ["A=1"] }) };
  readDeviceFile(file);
  for (const [change, text] of rows) assertThrows(() => readDeviceFile({ ...file, ...change }), SyntaxError, text);
});

Deno.test("parseYAML() bounds what a text stands for", async () => {
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]",
    "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]",
  ];
  await assertRejects(() => parseYAML([...bomb, "d: [*c,*c,*c,*c,*c,*c,*c,*c,*c]"].join("\n")), SyntaxError, "alias");
  await assertRejects(() => parseYAML("[".repeat(100_000)), SyntaxError);
  await assertRejects(() => parseYAML("a: 1\na: 2"), SyntaxError, "unique");
});
