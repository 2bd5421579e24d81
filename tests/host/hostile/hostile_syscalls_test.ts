/** System calls that no container of either API may make, tried by a program, with each runtime. */
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/** Numbers of system calls on processors that hosts of this suite have: x86-64, 64-bit ARM. */
const CALLS = {
  x86_64: {
    socket: 41,
    unshare: 272,
    clone: 56,
    keyctl: 250,
    add_key: 248,
    mount: 165,
    io_uring_setup: 425,
    clone3: 435,
  },
  aarch64: {
    socket: 198,
    unshare: 97,
    clone: 220,
    keyctl: 219,
    add_key: 217,
    mount: 40,
    io_uring_setup: 425,
    clone3: 435,
  },
}[Deno.build.arch];
const [EPERM, EINVAL, ENOSYS, EAFNOSUPPORT] = [1, 22, 38, 97];
const [AF_ALG, AF_VSOCK, AF_NETLINK, NETLINK_AUDIT] = [38, 40, 16, 9];
const FAMILIES = 46;
const CLONE_NEWUSER = 0x1000_0000;
const HIGH = 2 ** 32;

/** Prints one line for each call: its name, and the number of its error, or 0. */
const PROGRAM = `
$| = 1;
sub try_call { my ($name, @call) = @_; my $got = syscall(shift(@call), @call); print "$name ", $got == -1 ? $! + 0 : 0, "\\n"; $got }
for my $family (0 .. ${FAMILIES - 1}, map { $_ + ${HIGH} } ${AF_ALG}, ${AF_VSOCK}) {
  try_call("socket:$family", ${CALLS.socket}, $family, $family == ${AF_ALG} ? 5 : 2, 0);
}
try_call("audit", ${CALLS.socket}, ${AF_NETLINK}, 3, ${NETLINK_AUDIT});
try_call("io_uring", ${CALLS.io_uring_setup}, 1, 0);
try_call("add_key", ${CALLS.add_key}, 0, 0, 0, 0, 0);
try_call("keyctl", ${CALLS.keyctl}, 0, -3, 0);
try_call("mount", ${CALLS.mount}, 0, 0, 0, 0, 0);
try_call("clone3", ${CALLS.clone3}, 0, 0);
my $child = try_call("clone", ${CALLS.clone}, ${CLONE_NEWUSER} + 17, 0, 0, 0, 0);
exit if !$child;
try_call("unshare", ${CALLS.unshare}, ${CLONE_NEWUSER});
`;

/** The host's Perl, with what it is linked to. */
const PERL = ["-v", "/usr:/usr:ro", "-v", "/usr/lib:/lib:ro", "-v", "/usr/lib64:/lib64:ro"];

Deno.test("no container makes the system calls that its API denies, whatever profile the host has", async (t) => {
  await using session = await Session.shared();
  const { server, registry } = session;
  const image = `${registry.host}/hostile/calls:latest`;
  const entries = [
    { type: "file" as const, path: "calls.pl", content: PROGRAM },
    { type: "file" as const, path: "socketcall-vsock", content: socketcall(AF_VSOCK, 1), mode: 0o755 },
    { type: "file" as const, path: "socketcall-alg", content: socketcall(AF_ALG, 5), mode: 0o755 },
  ];
  await pushImage(registry.url, "hostile/calls:latest", busyboxImage({ layers: [{ gzip: true, entries }] }));
  ok(await server.podman("pull", "-q", "--tls-verify=false", image));
  const native = (runtime: string, command: string[], options: string[] = []) => {
    return ran(
      ["create", "--network=none", ...PERL, ...options],
      runtime,
      command,
      (...args) => server.podman(...args),
    );
  };
  const docker = (runtime: string, command: string[], options: string[] = []) => {
    return ran(
      ["create", "--network=none", `--runtime=${runtime}`, ...PERL, ...options],
      undefined,
      command,
      (...args) => server.docker(...args),
    );
  };
  /** Creates, starts and removes; the client of the native API cannot name a runtime, its request can. */
  async function ran(
    create: string[],
    runtime: string | undefined,
    command: string[],
    client: (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>,
  ): Promise<string> {
    let id: string;
    if (runtime === undefined) id = ok(await client(...create, image, ...command)).trim();
    else {
      const mounts = [["/usr", "/usr"], ["/usr/lib", "/lib"], ["/usr/lib64", "/lib64"]].map(([source, destination]) => {
        return { type: "bind", source, destination, options: ["rbind", "ro"] };
      });
      const capAdd = create.filter((word) => word.startsWith("--cap-add=")).map((word) => word.slice(10));
      const body = { image, command, oci_runtime: runtime, netns: { nsmode: "none" }, mounts, cap_add: capAdd };
      const made = await server.request("POST", "/libpod/containers/create", { body });
      assertEquals(made.status, 201, await made.clone().text());
      id = (await made.json()).Id;
    }
    try {
      return ok(await client("start", "-a", id));
    } finally {
      await client("rm", "-f", id);
    }
  }
  const results = (text: string) =>
    new Map(
      text.trim().split("\n").map((line) => {
        const [name, error] = line.split(" ");
        return [name, Number(error)];
      }),
    );
  const families = (found: Map<string, number>) => {
    for (let family = 0; family < FAMILIES; family++) {
      const error = found.get(`socket:${family}`);
      if (family === AF_ALG || family === AF_VSOCK) assertEquals(error, EPERM, `family ${family}`);
      // Those that want a capability, or another type of socket, are the kernel's to judge.
      else assertNotEquals(error, ENOSYS, `family ${family}`);
    }
    for (const family of [1, 2, 10, AF_NETLINK]) assertEquals(found.get(`socket:${family}`), 0, `family ${family}`);
    assertEquals(found.get(`socket:${AF_ALG + HIGH}`), EPERM);
    assertEquals(found.get(`socket:${AF_VSOCK + HIGH}`), EPERM);
    assertEquals(found.get("socket:45"), found.get("socket:45") === 0 ? 0 : EAFNOSUPPORT);
  };
  for (const runtime of ["crun", "runc"]) {
    await t.step(`Podman's API, ${runtime}`, async () => {
      assertMatch(await native(runtime, ["grep", "Seccomp:", "/proc/self/status"]), /^Seccomp:\t2$/m);
      const found = results(await native(runtime, ["perl", "/calls.pl"]));
      families(found);
      assertEquals(found.get("audit"), EINVAL);
      assertEquals(found.get("io_uring"), ENOSYS);
      assertEquals(found.get("add_key"), EPERM);
      // As Podman has it, containers nest.
      assertEquals(found.get("unshare"), 0);
      assertEquals(found.get("clone"), 0);
      const audited = results(await native(runtime, ["perl", "/calls.pl"], ["--cap-add=AUDIT_WRITE"]));
      families(audited);
      assertNotEquals(audited.get("audit"), EINVAL);
    });
    await t.step(`Docker's API, ${runtime}`, async () => {
      assertMatch(await docker(runtime, ["grep", "Seccomp:", "/proc/self/status"]), /^Seccomp:\t2$/m);
      const found = results(await docker(runtime, ["perl", "/calls.pl"]));
      families(found);
      assertEquals(found.get("io_uring"), ENOSYS);
      for (const call of ["add_key", "keyctl", "mount", "clone", "unshare"]) assertEquals(found.get(call), EPERM, call);
      assertEquals(found.get("clone3"), ENOSYS);
      const nested = results(await docker(runtime, ["perl", "/calls.pl"], ["--cap-add=SYS_ADMIN"]));
      families(nested);
      assertEquals(nested.get("unshare"), 0);
    });
    await t.step({
      name: `32-bit programs, ${runtime}`,
      ignore: Deno.build.arch !== "x86_64" || !await runsHere(socketcall(1, 1)),
      fn: async () => {
        for (const family of ["vsock", "alg"]) {
          for (const inside of [native, docker]) {
            const script = `/socketcall-${family}; echo $?`;
            assertEquals((await inside(runtime, ["sh", "-c", script])).trim(), String(EPERM), family);
          }
        }
      },
    });
  }
});

Deno.test("a runtime without seccomp starts no container that is to have a filter, and an old one is named", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-runtime-" });
  const path = (await run(["sh", "-c", "command -v runc"])).stdout.trim();
  const version = "runc version 1.1.4\nspec: 1.0.2-dev";
  const script = `#!/bin/sh\ncase "$*" in *--version) printf '${version}\n'; exit;; esac\nexec ${path} "$@"\n`;
  await Deno.writeTextFile(`${folder}/runc`, script, { mode: 0o755 });
  await Deno.chmod(`${folder}/runc`, 0o755);
  {
    await using session = await Session.start({ args: ["--runtime", `${folder}/runc`] });
    const { server, image } = session;
    ok(await server.podman("pull", "-q", "--tls-verify=false", image));
    await t.step("the server's start says so", () => {
      assertMatch(server.stderr, /is runc 1\.1\.4: containers can break out of it \(CVE-2024-21626, .*CVE-2025-31133/);
    });
    await t.step("the container is refused by name, and leaves nothing", async () => {
      const refused = await server.podman("run", "--name", "open", "--network=none", image, "true");
      assertMatch(refused.stderr, /Filter system calls: runtime ".*\/runc" was built without seccomp/);
      assertEquals(refused.stdout, "");
      ok(await server.podman("rm", "-f", "open"));
    });
    await t.step("who asks for none gets none", async () => {
      const open = ["run", "--rm", "--network=none", "--security-opt", "seccomp=unconfined", image];
      assertMatch(ok(await server.podman(...open, "grep", "Seccomp:", "/proc/self/status")), /^Seccomp:\t0$/m);
    });
  }
  await Deno.remove(folder, { recursive: true });
});

/** A 32-bit program that opens a socket by way of `socketcall`, and exits with the number of the error, or 0. */
function socketcall(family: number, type: number): Uint8Array {
  const base = 0x0804_8000;
  const [head, code] = [84, 36];
  const bytes = new Uint8Array(head + code + 12);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1]);
  const words = (at: number, ...values: number[]) =>
    values.forEach((value, i) => view.setUint32(at + 4 * i, value, true));
  // An executable for the 386, its one header at 52.
  words(16, 0x0003_0002, 1, base + head, 52, 0, 0, 0x0020_0034, 1);
  words(52, 1, 0, base, base, bytes.length, bytes.length, 7, 0x1000);
  const put = (offset: number, ...values: number[]) => bytes.set(values, head + offset);
  put(0, 0xb8, 102, 0, 0, 0); // mov eax, SYS_socketcall
  put(5, 0xbb, 1, 0, 0, 0); // mov ebx, SYS_SOCKET
  put(10, 0xb9); // mov ecx, arguments
  words(head + 11, base + head + code);
  put(15, 0xcd, 0x80); // int 0x80
  put(17, 0x85, 0xc0, 0x78, 0x02, 0x31, 0xc0, 0xf7, 0xd8); // eax = eax < 0 ? -eax : 0
  put(25, 0x89, 0xc3, 0xb8, 1, 0, 0, 0, 0xcd, 0x80); // exit(eax)
  words(head + code, family, type, 0);
  return bytes;
}

/** Whether this machine runs such programs at all. */
async function runsHere(program: Uint8Array): Promise<boolean> {
  const path = await Deno.makeTempFile({ prefix: "gantry-calls-" });
  try {
    await Deno.writeFile(path, program, { mode: 0o755 });
    await Deno.chmod(path, 0o755);
    return (await run([path])).code === 0;
  } catch {
    return false;
  } finally {
    await Deno.remove(path);
  }
}
