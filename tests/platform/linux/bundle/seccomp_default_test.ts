import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { containerSeccomp } from "../../../../lib/platform/linux/bundle/confinement.ts";
import {
  parseSeccompProfile,
  readSeccompProfile,
  type SeccompProfile,
  translateSeccomp,
} from "../../../../lib/platform/linux/bundle/seccomp.ts";
import { DOCKER_PROFILE, PODMAN_PROFILE } from "../../../../lib/platform/linux/bundle/seccomp_default.ts";
import type { SpecSeccomp } from "../../../../lib/platform/linux/bundle/spec_types.ts";

const BOTH = { podman: PODMAN_PROFILE, docker: DOCKER_PROFILE };
const [EPERM, EINVAL, ENOSYS] = [1, 22, 38];
const MACHINE = { arch: "x64", kernel: "6.1.0" };

/** What a call with these arguments gives, the way a filter compares them: 0 where it is allowed. Throws where rules disagree. */
function judged({ syscalls, defaultErrnoRet = 0 }: SpecSeccomp, name: string, ...values: bigint[]): number {
  const fits = syscalls.filter(({ names, args = [] }) =>
    names.includes(name) && args.every(({ index, value, valueTwo = 0, op }) => {
      const given = BigInt.asUintN(64, values[index] ?? 0n);
      if (op === "SCMP_CMP_MASKED_EQ") return (given & BigInt(value)) === BigInt(valueTwo);
      if (op === "SCMP_CMP_EQ") return given === BigInt(value);
      assertEquals(op, "SCMP_CMP_NE");
      return given !== BigInt(value);
    })
  );
  const results = new Set(fits.map(({ action, errnoRet = 0 }) => action === "SCMP_ACT_ALLOW" ? 0 : errnoRet));
  assert(results.size <= 1, `${name}(${values}): ${[...results]}`);
  return results.size === 0 ? defaultErrnoRet : [...results][0];
}

const rulesOf = (profile: SeccompProfile, caps: string[] = []) => translateSeccomp(profile, caps, MACHINE);

Deno.test("the default profiles deny sockets of two families, whatever the bits that the kernel does not look at", () => {
  for (const [name, profile] of Object.entries(BOTH)) {
    for (const caps of [[], ["CAP_AUDIT_WRITE"], ["CAP_SYS_ADMIN", "CAP_NET_ADMIN"]]) {
      const rules = rulesOf(profile, caps);
      for (let family = 0n; family < 46n; family++) {
        for (const high of [0n, 1n << 32n, 1n << 63n, 0xffff_ffffn << 32n]) {
          const expected = family === 38n || family === 40n ? EPERM : 0;
          assertEquals(judged(rules, "socket", family + high, 2n, 0n), expected, `${name} ${family} ${high}`);
        }
      }
      assertEquals(judged(rules, "socketcall", 1n), EPERM);
    }
  }
});

Deno.test("the default profile of Podman's API says that there are no audits to who may not write any", () => {
  assertEquals(judged(rulesOf(PODMAN_PROFILE), "socket", 16n, 3n, 9n), EINVAL);
  assertEquals(judged(rulesOf(PODMAN_PROFILE), "socket", 16n, 3n, 0n), 0);
  assertEquals(judged(rulesOf(PODMAN_PROFILE, ["CAP_AUDIT_WRITE"]), "socket", 16n, 3n, 9n), 0);
  assertEquals(judged(rulesOf(DOCKER_PROFILE), "socket", 16n, 3n, 9n), 0);
});

Deno.test("the default profile of Docker's API keeps containers in their namespaces, unless a capability says otherwise", () => {
  const plain = rulesOf(DOCKER_PROFILE);
  const admin = rulesOf(DOCKER_PROFILE, ["CAP_SYS_ADMIN"]);
  const nested = rulesOf(PODMAN_PROFILE);
  for (const flag of [0x2_0000n, 0x200_0000n, 0x400_0000n, 0x800_0000n, 0x1000_0000n, 0x2000_0000n, 0x4000_0000n]) {
    for (const rest of [0n, 17n, 0x10000n, 1n << 40n]) {
      assertEquals(judged(plain, "clone", flag | rest), EPERM);
      assertEquals([judged(admin, "clone", flag | rest), judged(nested, "clone", flag | rest)], [0, 0]);
    }
  }
  assertEquals(judged(plain, "clone", 0x3d_0f00n), 0);
  assertEquals([judged(plain, "clone3"), judged(admin, "clone3"), judged(nested, "clone3")], [ENOSYS, 0, 0]);
  for (const call of ["unshare", "setns", "mount", "umount2", "open_tree", "move_mount", "fsopen", "mount_setattr"]) {
    assertEquals([judged(plain, call), judged(admin, call), judged(nested, call)], [EPERM, 0, 0], call);
  }
  assertEquals([judged(plain, "keyctl"), judged(admin, "keyctl"), judged(nested, "keyctl")], [EPERM, EPERM, 0]);
});

Deno.test("the default profiles deny what reaches the kernel past all limits, and allow what programs live by", () => {
  const denied = [
    ..."io_uring_setup io_uring_enter io_uring_register add_key request_key kexec_load swapon userfaultfd".split(" "),
    ..."bpf perf_event_open init_module finit_module open_by_handle_at ioperm iopl acct settimeofday kcmp".split(" "),
    "a_call_of_some_later_kernel",
  ];
  const allowed = "read write openat2 execve clone futex epoll_wait landlock_create_ruleset rseq statx mseal".split(
    " ",
  );
  for (const [name, profile] of Object.entries(BOTH)) {
    const rules = rulesOf(profile);
    assertEquals([rules.defaultAction, rules.defaultErrnoRet], ["SCMP_ACT_ERRNO", ENOSYS]);
    assertEquals(rules.architectures, ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]);
    for (const call of denied) assert(judged(rules, call) !== 0, `${name} ${call}`);
    for (const call of allowed) assertEquals(judged(rules, call), 0, `${name} ${call}`);
    assertEquals(judged(rulesOf(profile, ["CAP_BPF"]), "bpf"), 0);
    assertEquals(judged(rulesOf(profile, ["CAP_SYS_ADMIN"]), "bpf"), 0);
    for (const value of [0n, 8n, 0x2_0000n, 0xffff_ffffn]) assertEquals(judged(rules, "personality", value), 0);
    // ADDR_NO_RANDOMIZE
    assert(judged(rules, "personality", 0x4_0000n) !== 0);
  }
});

Deno.test("a container without a filter is one that was asked for", async () => {
  // Only this much of a spec is asked for.
  const rules = (spec: Partial<ContainerSpec>, own?: SeccompProfile) => {
    return containerSeccomp({ privileged: false, ...spec } as ContainerSpec, [], own);
  };
  const own = parseSeccompProfile('{"defaultAction":"SCMP_ACT_KILL"}', "own");
  const unshare = async (spec: Partial<ContainerSpec>) => judged((await rules(spec))!, "unshare");
  assertEquals([await rules({ privileged: true }), await rules({ seccomp: "unconfined" })], [undefined, undefined]);
  assertEquals([await unshare({}), await unshare({ defaults: "docker" })], [0, EPERM]);
  assertEquals([await unshare({ seccomp: "default" }), await unshare({ seccomp: "default", defaults: "docker" })], [
    0,
    EPERM,
  ]);
  assertEquals((await rules({}, own))?.defaultAction, "SCMP_ACT_KILL");
  assertEquals(
    (await rules({ seccompText: '{"defaultAction":"SCMP_ACT_TRAP"}' }, own))?.defaultAction,
    "SCMP_ACT_TRAP",
  );
  await assertRejects(() => rules({ seccomp: "/none.json" }), EngineError, "open /none.json");
  await assertRejects(() => rules({ seccompText: "{" }), EngineError, "Read seccomp profile");
});

Deno.test("an administrator's profile that cannot be read is an error, and a missing one is none", async () => {
  const folder = await Deno.makeTempDir();
  assertEquals(await readSeccompProfile(`${folder}/none.json`), undefined);
  await Deno.writeTextFile(`${folder}/odd.json`, "{}");
  await assertRejects(() => readSeccompProfile(`${folder}/odd.json`), EngineError, "no defaultAction");
  await assertRejects(() => readSeccompProfile(folder), EngineError, `Read seccomp profile "${folder}"`);
  await Deno.remove(folder, { recursive: true });
});
