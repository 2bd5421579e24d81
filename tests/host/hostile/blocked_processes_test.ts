/** A container may serve a file system itself and never answer: whoever reads it, or memory made of it, waits for ever. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";
import { Responsive } from "../../hostile/responsive.ts";
import { Session, until } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";

const PROGRAM = await Deno.readTextFile(new URL("blocking_tree.pl", import.meta.url));
/** The host's Perl, with what it is linked to. */
const PERL = ["-v", "/usr:/usr:ro", "-v", "/usr/lib:/lib:ro", "-v", "/usr/lib64:/lib64:ro"];
const ROW = "/libpod/containers/box";

Deno.test({
  name: "a container with a file system that never answers keeps nobody waiting, and goes with all that read it",
  ignore: Deno.build.arch !== "x86_64",
  fn: async (t) => {
    await using session = await Session.shared();
    await using idle = await Server.start();
    const { server, registry } = session;
    const image = `${registry.host}/hostile/blocks:latest`;
    const entries = [{ type: "file" as const, path: "blocks.pl", content: PROGRAM }];
    await pushImage(registry.url, "hostile/blocks:latest", busyboxImage({ layers: [{ gzip: true, entries }] }));
    ok(await server.podman("pull", "-q", "--tls-verify=false", image));
    const ids: string[] = [];
    const start = async () => {
      const args = ["run", "-d", "--name", "box", "--privileged", "--network=none", ...PERL, image];
      ids.push(ok(await server.podman(...args, "perl", "/blocks.pl")).trim());
      await until(async () => assertEquals(ok(await server.podman("logs", "box")).trim(), "ready"), 60_000);
    };
    const gone = async () => {
      const none = { processes: [], mounts: [], namespaces: [], cgroups: [], interfaces: [] };
      await until(() => Promise.resolve(assertEquals(traces(server.folder, ids), none)));
      await until(() => Promise.resolve(assertEquals(agents(server, ids), [])));
    };
    let failures: string[] = [];
    {
      await using responsive = new Responsive(server, idle);
      failures = responsive.failures;
      await start();
      await t.step("whoever reads the command line of its process waits", async () => {
        const victims = (await processesOf(server)).filter((pid) => isWaitingForItsMap(pid));
        assertEquals(victims.length, 1);
        const read = await run(["timeout", "-s", "KILL", "1", "cat", `/proc/${victims[0]}/cmdline`]);
        assertNotEquals(read.code, 0);
        assertEquals(read.stdout, "");
      });
      await t.step("top tells of every process, and shows no command line of the one that blocks", async () => {
        const reply = await server.request("GET", `${ROW}/top`);
        assertEquals(reply.status, 200);
        const { Titles, Processes } = await reply.json() as { Titles: string[]; Processes: string[][] };
        assertEquals(Processes.length, 4);
        assertEquals(Processes.filter((row) => row[Titles.length - 1] === "?").length, 1, JSON.stringify(Processes));
        ok(await server.podman("top", "box"));
      });
      await t.step("docker top answers by default, which is -ef", async () => {
        const [, ...rows] = ok(await server.docker("top", "box")).trim().split("\n");
        assertEquals(rows.length, 4, rows.join("\n"));
        assertEquals(rows.filter((row) => row.endsWith(" ?")).length, 1, rows.join("\n"));
      });
      await t.step("ps, which other arguments are for, waits and is ended", async () => {
        const listed = await server.docker("top", "box", "aux");
        assertNotEquals(listed.code, 0);
        assertEquals(children(server, "ps"), []);
      });
      await t.step("ps lists the processes of another container, and does not meet the one that blocks", async () => {
        ok(await server.podman("run", "-d", "--name", "other", "--network=none", image, "sleep", "1000"));
        for (const args of [["aux"], ["-eF"], ["-eo", "pid,args"], ["-o", "pid,args"], ["-e", "-o", "pid,comm,args"]]) {
          const [, ...rows] = ok(await server.docker("top", "other", ...args)).trim().split("\n");
          assertEquals(rows.length, 1, rows.join("\n"));
          assertMatch(rows[0], /sleep 1000$/);
        }
        ok(await server.podman("rm", "-f", "-t", "0", "other"));
      });
      await t.step("stats, inspection and exec answer", async () => {
        ok(await server.podman("stats", "--no-stream", "box"));
        ok(await server.podman("inspect", "box"));
        assertEquals(ok(await server.podman("exec", "box", "echo", "here")).trim(), "here");
      });
      await t.step("it stops, and is removed", async () => {
        ok(await server.podman("stop", "-t", "1", "box"));
        ok(await server.podman("rm", "box"));
        await gone();
      });
      await t.step("it is removed while it runs", async () => {
        await start();
        ok(await server.podman("top", "box"));
        ok(await server.podman("rm", "-f", "-t", "0", "box"));
        await gone();
      });
      for (
        const [method, path] of [
          ["GET", "/blocked/file"],
          ["GET", "/blocked"],
          ["GET", "/blocked/never"],
          ["HEAD", "/blocked/never"],
          ["PUT", "/blocked/never"],
        ]
      ) {
        await t.step(`${method} of an archive at ${path} ends with its client, and keeps no container`, async () => {
          await start();
          const left = new AbortController();
          const url = `${server.addresses[1].replace("tcp:", "http:")}/v5.0.0${ROW}/archive?path=${path}`;
          const body = method === "PUT" ? new Uint8Array(1024) : undefined;
          const request = fetch(url, { method, body, signal: left.signal }).then((reply) => reply.arrayBuffer());
          request.catch(() => {});
          await until(() => Promise.resolve(assert(agents(server, ids).length > 0)));
          left.abort();
          await request.catch(() => {});
          // The kernel may hold one that is killed for as long as the file system is there.
          await until(() => Promise.resolve(assertEquals(agents(server, ids).filter((pid) => !isKilled(pid)), [])));
          ok(await server.podman("exec", "box", "true"));
          ok(await server.podman("rm", "-f", "-t", "0", "box"));
          await gone();
        });
      }
      await t.step("it is removed while clients wait for its files", async () => {
        await start();
        const url = `${server.addresses[1].replace("tcp:", "http:")}/v5.0.0${ROW}/archive?path=/blocked/`;
        const waiting = ["file", "never"].map((name) =>
          fetch(url + name).then((reply) => reply.text()).catch(() => "")
        );
        await until(() => Promise.resolve(assert(agents(server, ids).length > 1)));
        ok(await server.podman("rm", "-f", "-t", "0", "box"));
        await Promise.all(waiting);
        await gone();
      });
    }
    assertEquals(failures, []);
  },
});

async function processesOf(server: Server): Promise<string[]> {
  const reply = await server.request("GET", `${ROW}/top?ps_args=hpid`);
  return (await reply.json() as { Processes: string[][] }).Processes.map(([pid]) => pid);
}

/** Whether a process is in the system call `mmap`, which takes no time but that of the lock. */
function isWaitingForItsMap(pid: string): boolean {
  return Deno.readTextFileSync(`/proc/${pid}/syscall`).startsWith("9 ");
}

/** The tree agents at work on a server's containers, and their children, also those that lost their parents. */
function agents({ folder }: Server, ids: readonly string[]): string[] {
  return processes((pid) => {
    const command = Deno.readTextFileSync(`/proc/${pid}/cmdline`);
    // Programs of their own have their arguments there, forks of the nursery their names.
    const isAgent = command.includes("openat2=") || command.startsWith("gantry: ");
    return isAgent && [folder, ...ids].some((text) => command.includes(text));
  });
}

/** The processes that a server started itself, by the name of their program. */
function children({ pid: server }: Server, name: string): string[] {
  return processes((pid) => {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return status.startsWith(`Name:\t${name}\n`) && status.includes(`\nPPid:\t${server}\n`);
  });
}

function processes(wanted: (pid: string) => boolean): string[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => name).filter((name) => {
    try {
      // A command line of the container's would keep this test waiting.
      return /^\d+$/.test(name) && !Deno.readTextFileSync(`/proc/${name}/syscall`).startsWith("9 ") && wanted(name);
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
}

/** Whether a process has SIGKILL pending. */
function isKilled(pid: string): boolean {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return [...status.matchAll(/^(?:SigPnd|ShdPnd):\t([0-9a-f]+)$/gm)].some(([, mask]) =>
      (BigInt(`0x${mask}`) & 256n) !== 0n
    );
  } catch {
    return true;
  }
}
