import { assertEquals, assertRejects } from "@std/assert";
import { rmSync } from "node:fs";
import { addressOfDescriptor, parseDescriptor } from "../../../lib/platform/http/passed_socket.ts";

Deno.test("parseDescriptor() reads descriptors, and leaves other addresses alone", () => {
  const texts = ["fd://3", "fd://", "fd://x", "unix:///run/x", "fd://12345"];
  assertEquals(texts.map(parseDescriptor), [3, undefined, undefined, undefined, undefined]);
});

/** The descriptors of this process, each with what it is open on. */
function descriptors(): Map<number, string> {
  const found = [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => {
    try {
      return [[Number(name), Deno.readLinkSync(`/proc/self/fd/${name}`)] as const];
    } catch {
      // That of the listing itself is gone.
      return [];
    }
  });
  return new Map(found);
}

/** Opens a listener, and finds its descriptor. */
function opened(open: () => Disposable): { fd: number; listener: Disposable } {
  const before = descriptors();
  const listener = open();
  const made = [...descriptors()].filter(([fd, target]) => target.startsWith("socket:") && before.get(fd) !== target);
  if (made.length === 1) return { fd: made[0][0], listener };
  // A connection of another test came meanwhile: nobody can tell which is which.
  listener[Symbol.dispose]();
  return opened(open);
}

Deno.test({
  name: "addressOfDescriptor() finds where a socket that was passed on listens",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    const path = `${folder}/a b.sock`;
    const rows: [open: () => Deno.Listener, host?: string][] = [
      [() => Deno.listen({ hostname: "127.0.0.1", port: 0 }), "127.0.0.1"],
      [() => Deno.listen({ hostname: "::1", port: 0 }), "::1"],
      [() => Deno.listen({ hostname: "::", port: 0 }), "::"],
      [() => Deno.listen({ hostname: "0.0.0.0", port: 0 }), "0.0.0.0"],
    ];
    for (const [open, host] of rows) {
      let port = 0;
      const { fd, listener } = opened(() => {
        const listening = open();
        // A listener of TCP has an address of it.
        port = (listening.addr as Deno.NetAddr).port;
        return listening;
      });
      using _ = listener;
      assertEquals(await addressOfDescriptor(fd), { kind: "tcp", host: host!, port });
    }
    const unix = opened(() => {
      // That of a try before stays.
      rmSync(path, { force: true });
      return Deno.listen({ transport: "unix", path });
    });
    using _ = unix.listener;
    assertEquals(await addressOfDescriptor(unix.fd), { kind: "unix", path });
    using file = await Deno.open("/dev/null");
    const [[other]] = [...descriptors()].filter(([, target]) => target === "/dev/null").slice(-1);
    await assertRejects(
      () => addressOfDescriptor(other),
      Error,
      `Listen on "fd://${other}": it is no socket, but /dev/null`,
    );
    await assertRejects(() => addressOfDescriptor(9999), Error, "it is no socket, but nothing");
    void file;
    await Deno.remove(folder, { recursive: true });
  },
});
