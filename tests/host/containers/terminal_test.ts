/** What a user does at a terminal: keys, sizes, leaving and coming back, by both clients. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { Terminal } from "../../fixtures/terminal.ts";
import { Session, until } from "../../fixtures/session.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
/** The keys both clients take for leaving. */
const DETACH = "\x10\x11";

Deno.test("terminals of containers and execs behave as a user's own", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const env = { HOME: server.folder, XDG_RUNTIME_DIR: server.folder };
  const clients = {
    podman: `podman --remote --url ${server.addresses[0]}`,
    docker: `docker -H ${server.addresses[0]}`,
  };
  for (const [name, client] of Object.entries(clients)) {
    const open = (line: string) => new Terminal(`${client} ${line}`, env);

    await t.step(
      `${name} run -it: a shell talks, takes Ctrl-C, sees the window's size and ends with Ctrl-D`,
      async () => {
        await using terminal = open(`run -it --rm --network=none ${image} sh`);
        await terminal.shows("# ");
        await terminal.type("echo sum-$((40+2))\n");
        await terminal.shows("sum-42");
        await terminal.type("sleep 1000; echo code-$?\n");
        await terminal.shows("echo code-$?\r\n");
        await new Promise((resolve) => setTimeout(resolve, 300));
        await terminal.type(CTRL_C);
        // The shell itself goes back to its prompt; what it ran is gone.
        await terminal.shows("^C");
        await terminal.type("ps | grep -c '[s]leep 1000' | sed s/^/left-/\n");
        await terminal.shows("left-0");
        await terminal.resize(41, 133);
        await until(async () => {
          const from = terminal.shown.length;
          await terminal.type("stty size\n");
          await terminal.shows("41 133", from, 1_000);
        });
        await terminal.type("exit 7\n");
        assertEquals(await terminal.code(), 7);
      },
    );

    await t.step(`${name} run -it: Ctrl-C ends a program that does not take it`, async () => {
      await using terminal = open(`run -it --rm --init --network=none ${image} sh -c 'echo on; sleep 1000'`);
      await terminal.shows("on\r\n");
      await terminal.type(CTRL_C);
      assertEquals(await terminal.code(), 130);
    });

    await t.step(
      `${name} attach, detach and attach: the container goes on, and its terminal is the same`,
      async () => {
        // Podman 4.3.1 waits for the end of what it ran itself, whoever serves it: here it attaches to what runs already.
        ok(
          await run([
            ...client.split(" "),
            ..."run -dit --network=none --name".split(" "),
            `kept-${name}`,
            image,
            "sh",
          ]),
        );
        {
          await using terminal = open(`attach kept-${name}`);
          await terminal.shows("/dev/pts/");
          await until(async () => {
            const from = terminal.shown.length;
            await terminal.type("mark=before; echo set-$((1+1))\n");
            await terminal.shows("set-2", from, 1_000);
          });
          await terminal.type(DETACH);
          await terminal.code();
        }
        assertEquals(await podman("inspect", "--format", "{{.State.Status}}", `kept-${name}`), "running\n");
        await using terminal = open(`attach kept-${name}`);
        await terminal.shows("/dev/pts/");
        await until(async () => {
          const from = terminal.shown.length;
          await terminal.type("echo it-was-$mark\n");
          await terminal.shows("it-was-before", from, 1_000);
        });
        await terminal.type(CTRL_D);
        assertEquals(await terminal.code(), 0);
        await until(async () =>
          assertEquals(await podman("inspect", "--format", "{{.State.Status}}", `kept-${name}`), "exited\n")
        );
        assertStringIncludes(await podman("logs", `kept-${name}`), "it-was-before");
        await podman("rm", `kept-${name}`);
      },
    );

    await t.step(`${name} exec -it: a second terminal of its own size, left with the keys of its choice`, async () => {
      await podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "1000");
      await using terminal = open(`exec -it --detach-keys ctrl-a,z box sh`);
      await terminal.shows("# ");
      await terminal.resize(27, 99);
      await until(async () => {
        const from = terminal.shown.length;
        await terminal.type("stty size\n");
        await terminal.shows("27 99", from, 1_000);
      });
      await terminal.type("sleep 1001\n");
      await terminal.shows("sleep 1001\r\n");
      await terminal.type("\x01z");
      await terminal.code();
      // The shell has shown the line before it runs the program.
      await until(async () => assertStringIncludes(await podman("top", "box", "args"), "sleep 1001"));
      await podman("rm", "-f", "-t", "0", "box");
    });
  }
});
