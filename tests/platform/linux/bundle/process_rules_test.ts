import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { containerCapabilities } from "../../../../lib/platform/linux/bundle/capabilities.ts";
import { containerLimits } from "../../../../lib/platform/linux/bundle/rlimits.ts";
import { runtimeError } from "../../../../lib/platform/linux/processes/runtime/runtime_errors.ts";
import { checkKernelFolders } from "../../../../lib/platform/linux/bundle/tree/tree_check.ts";
import { parseSeccompProfile, translateSeccomp } from "../../../../lib/platform/linux/bundle/seccomp.ts";

const PROFILE = parseSeccompProfile(
  JSON.stringify({
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrno: "ENOSYS",
    archMap: [{ architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86"] }],
    syscalls: [
      { names: ["read"], action: "SCMP_ACT_ALLOW", args: [], includes: {}, excludes: {} },
      { names: ["mount"], action: "SCMP_ACT_ALLOW", includes: { caps: ["CAP_SYS_ADMIN"] } },
      { names: ["mount"], action: "SCMP_ACT_ERRNO", errno: "EPERM", excludes: { caps: ["CAP_SYS_ADMIN"] } },
      { names: ["arch_prctl"], action: "SCMP_ACT_ALLOW", includes: { arches: ["amd64", "x32"] } },
      { names: ["ptrace"], action: "SCMP_ACT_ALLOW", includes: { minKernel: "4.8" } },
      { name: "old", action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: 8, op: "SCMP_CMP_EQ" }] },
    ],
  }),
  "test",
);

Deno.test("translateSeccomp() keeps the rules whose conditions hold", () => {
  const plain = translateSeccomp(PROFILE, [], { arch: "x64", kernel: "6.1.0-13-amd64" });
  assertEquals(plain, {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: 38,
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86"],
    syscalls: [
      { names: ["read"], action: "SCMP_ACT_ALLOW" },
      { names: ["mount"], action: "SCMP_ACT_ERRNO", errnoRet: 1 },
      { names: ["arch_prctl"], action: "SCMP_ACT_ALLOW" },
      { names: ["ptrace"], action: "SCMP_ACT_ALLOW" },
      { names: ["old"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: 8, op: "SCMP_CMP_EQ" }] },
    ],
  });
  const other = translateSeccomp(PROFILE, ["CAP_SYS_ADMIN"], { arch: "arm64", kernel: "4.4.1" });
  assertEquals(other.syscalls.map(({ names, action }) => `${names} ${action}`), [
    "read SCMP_ACT_ALLOW",
    "mount SCMP_ACT_ALLOW",
    "old SCMP_ACT_ALLOW",
  ]);
});

Deno.test("parseSeccompProfile() names the file that is no profile", () => {
  assertThrows(() => parseSeccompProfile("{", "/x.json"), EngineError, 'Read seccomp profile "/x.json"');
  assertThrows(() => parseSeccompProfile("{}", "/x.json"), EngineError, "no defaultAction");
});

Deno.test("containerCapabilities() leaves out what this process does not have, and says so", () => {
  const own = new Set(["CAP_CHOWN", "CAP_NET_ADMIN"]);
  const lost: string[] = [];
  const wish = { capAdd: ["net_admin", "CAP_SYS_TIME"], capDrop: [], privileged: false };
  const root = containerCapabilities(wish, own, 0, (names) => lost.push(...names));
  assertEquals(root.effective, ["CAP_CHOWN", "CAP_NET_ADMIN"]);
  assertEquals(lost, ["CAP_SYS_TIME"]);
  const user = containerCapabilities({ ...wish, capAdd: ["NET_ADMIN"] }, own, 1000, () => {});
  assertEquals([user.bounding, user.effective, user.ambient], [["CAP_CHOWN", "CAP_NET_ADMIN"], ["CAP_NET_ADMIN"], [
    "CAP_NET_ADMIN",
  ]]);
  const all = containerCapabilities({ capAdd: ["ALL"], capDrop: ["CHOWN"], privileged: false }, own, 0, () => {});
  assertEquals(all.bounding, ["CAP_NET_ADMIN"]);
  const unknown = { capAdd: ["FLY"], capDrop: [], privileged: false };
  assertThrows(() => containerCapabilities(unknown, own, 0, () => {}), EngineError, 'unknown capability "FLY"');
});

Deno.test("containerLimits() clamps both values and warns of what was asked for only", () => {
  const warnings: string[] = [];
  const allowed = new Map([["RLIMIT_NOFILE", 1000n], ["RLIMIT_NPROC", 50n]]);
  const limits = containerLimits([{ type: "nofile", soft: 900n, hard: 5000n }], allowed, (text) => warnings.push(text));
  assertEquals(limits, [
    { type: "RLIMIT_NOFILE", soft: 900n, hard: 1000n },
    { type: "RLIMIT_NPROC", soft: 50n, hard: 50n },
  ]);
  assertEquals(warnings.length, 1);
});

Deno.test("runtimeError() reads what runc and crun print, in Podman's classes", () => {
  const runc = runtimeError(
    "runc",
    'time="2026-11-21T00:00:00Z" level=warning msg="x"\ntime="2026-11-21T00:00:00Z" level=error msg="exec: \\"a b\\": executable file not found in $PATH"\n',
  );
  assertEquals(runc.code, "command_not_found");
  assertEquals(
    runc.message,
    'runc: exec: "a b": executable file not found in $PATH: OCI runtime attempted to invoke a command that was not found',
  );
  const crun = runtimeError("crun", "2026-11-21T00:00:00.123456Z: open `/x`: Permission denied\n");
  assertEquals([crun.code, crun.message], [
    "command_not_executable",
    "crun: open `/x`: permission denied: OCI permission denied",
  ]);
  const missing = runtimeError("crun", "executable file `a b` not found in $PATH: No such file or directory\n");
  assertEquals(missing.message, runc.message.replace("runc", "crun"));
  assertEquals(runtimeError("crun", "something else").message, "crun: something else: OCI runtime error");
});

Deno.test("checkKernelFolders() refuses a tree whose /dev, /proc or /sys is not a folder", async () => {
  const rootfs = await Deno.makeTempDir({ prefix: "gantry-tree-" });
  try {
    await checkKernelFolders(rootfs);
    await Deno.mkdir(`${rootfs}/proc`);
    await checkKernelFolders(rootfs);
    await Deno.symlink("../../elsewhere", `${rootfs}/dev`);
    await assertRejects(() => checkKernelFolders(rootfs), EngineError, '"/dev" of its tree is not a folder');
    await Deno.remove(`${rootfs}/dev`);
    await Deno.writeTextFile(`${rootfs}/sys`, "");
    await assertRejects(() => checkKernelFolders(rootfs), EngineError, '"/sys"');
  } finally {
    await Deno.remove(rootfs, { recursive: true });
  }
});
