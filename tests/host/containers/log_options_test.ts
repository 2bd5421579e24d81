/** Where logs go and how large they get, as the clients ask for it, on a real host. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createServer, type Socket } from "node:net";
import { ok } from "../../fixtures/run.ts";
import { hasJournal } from "../../../lib/platform/linux/logs/journal_log.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("logs are kept as asked: by drivers, sizes and places", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await podman("pull", "-q", image);
  const run = ["run", "-d", "--network=none", "--name"];

  await t.step("k8s-file and json-file are one file, by the name that was asked for", async () => {
    for (const driver of ["k8s-file", "json-file"]) {
      await podman(...run, driver, "--log-driver", driver, image, "echo", "hello");
      await podman("wait", driver);
      assertEquals(await podman("logs", driver), "hello\n");
      assertEquals(await podman("inspect", "--format", "{{.HostConfig.LogConfig.Type}}", driver), `${driver}\n`);
    }
    assertEquals(await docker("inspect", "--format", "{{.HostConfig.LogConfig.Type}}", "k8s-file"), "json-file\n");
  });

  await t.step("max-size bounds the file, from both clients", async () => {
    const noise = ["sh", "-c", "i=0; while [ $i -lt 4000 ]; do echo line number $i; i=$((i+1)); done"];
    await podman(...run, "small", "--log-opt", "max-size=10k", image, ...noise);
    await docker(...run, "little", "--log-opt", "max-size=10k", image, ...noise);
    for (const name of ["small", "little"]) {
      await podman("wait", name);
      const path = (await podman("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", name)).trim();
      assert((await Deno.stat(path)).size <= 10 * 1024, name);
      assert((await podman("logs", "--tail", "1", name)).startsWith("line number 3999"), name);
    }
  });

  await t.step(
    "a burst of many times max-size leaves whole files without a hole, and a reader that follows has all",
    async () => {
      const options = ["max-size=20k", "max-file=3"].flatMap((option) => ["--log-opt", option]);
      const script = "echo 0; while [ ! -e /go ]; do usleep 10000; done; seq 1 20000";
      await docker(...run, "burst", ...options, image, "sh", "-c", script);
      const args = ["-H", server.addresses[0], "logs", "-f", "burst"];
      const follower = new Deno.Command("docker", { args, stdout: "piped" }).spawn();
      let text = "";
      for await (const piece of follower.stdout.pipeThrough(new TextDecoderStream())) {
        if (text === "") await server.docker("exec", "burst", "touch", "/go");
        text += piece;
      }
      assertEquals(text, Array.from({ length: 20_001 }, (_, i) => `${i}\n`).join(""));
      const kept = (await docker("logs", "burst")).split("\n").slice(0, -1).map(Number);
      assertEquals(kept, Array.from(kept, (_, at) => 20_001 - kept.length + at));
      const path = (await podman("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", "burst")).trim();
      assert((await Deno.stat(path)).size <= 20 * 1024);
      // A line takes 51 bytes of the log: two whole files, at least.
      assert(kept.length > 2 * 20 * 1024 / 64, String(kept.length));
    },
  );

  await t.step("max-file keeps older files, compress packs them, and all clients read them in order", async () => {
    // Slow enough for a helper on a busy machine: a file is full after a third of a second.
    const slow = ["sh", "-c", "i=0; while [ $i -lt 120 ]; do echo line number $i; usleep 20000; i=$((i+1)); done"];
    const options = ["max-size=1k", "max-file=4", "compress=true"].flatMap((option) => ["--log-opt", option]);
    const made = await server.docker(...run, "older", "--log-driver=json-file", ...options, image, ...slow);
    ok(made);
    assertEquals(made.stderr, "");
    await docker("wait", "older");
    const numbers = (await docker("logs", "older")).split("\n").slice(0, -1).map((line) => Number(line.slice(12)));
    assertEquals(numbers.at(-1), 119);
    // A line has 64 bytes or so: more than two whole files are here, and not all that was written.
    assert(numbers.length > 30 && numbers.length < 90, String(numbers.length));
    assertEquals(numbers, Array.from(numbers, (_, at) => 120 - numbers.length + at));
    assertEquals(await podman("logs", "--tail", "40", "older"), await docker("logs", "--tail", "40", "older"));
    assertEquals((await docker("logs", "--tail", "25", "older")).split("\n").length, 26);
    const path = (await podman("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", "older")).trim();
    const folder = path.replace(/([^/]+)\.log$/, "older/$1");
    const names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).filter((name) =>
      /^[1-9]/.test(name)
    );
    const newest = names.map((name) => Number.parseInt(name)).sort((one, other) => other - one).slice(0, 4);
    assertEquals(newest, Array.from(newest, (_, at) => newest[0] - at));
    assertEquals(newest.slice(1).map((number) => names.includes(`${number}.gz`)), [true, true, true]);
    assertEquals(
      await docker("inspect", "--format", "{{json .HostConfig.LogConfig.Config}}", "older"),
      '{"compress":"true","max-file":"4","max-size":"1k"}\n',
    );
    await docker("start", "older");
    await docker("stop", "-t", "0", "older");
    assertStringIncludes(await docker("logs", "older"), "line number 119\n");
    await docker("rm", "older");
    await assertRejects(() => Deno.stat(folder), Deno.errors.NotFound);
  });

  await t.step("tag, labels and env of a log are its lines' details, in Docker's words", async () => {
    const options = ["tag={{.Name}}/{{.ID}}", "labels=team", "env=MODE"].flatMap((option) => ["--log-opt", option]);
    const about = ["--label", "team=a b", "--label", "other=x", "-e", "MODE=1&2"];
    const id = await docker(...run, "detailed", ...options, ...about, image, "sh", "-c", "echo out; echo err >&2");
    await docker("wait", "detailed");
    const details = `MODE=1%262,tag=detailed%2F${id.slice(0, 12)},team=a+b`;
    assertEquals(await docker("logs", "--details", "detailed"), `${details} out\n`);
    assertEquals(await docker("logs", "detailed"), "out\n");
  });

  await t.step(
    "syslog has every line once, also over a crash of the server, and docker logs has them too",
    async () => {
      const path = `${server.folder}/receiver`;
      let text = "";
      await using receiver = await startReceiver(path, (piece) => text += piece);
      const has = (...lines: string[]) =>
        until(() => assertEquals(text.replace(/^.*\]: /gm, "").split("\n").slice(0, -1), lines));
      const options = [`syslog-address=unix://${path}`, "tag={{.Name}}", "syslog-facility=local0"];
      const script = "echo one; while [ ! -e /go ]; do usleep 10000; done; echo two >&2";
      const args = ["--log-driver=syslog", ...options.flatMap((option) => ["--log-opt", option])];
      const id = (await docker(...run, "sent", ...args, image, "sh", "-c", script)).trim();
      await has("one");
      // A crash between the sending and the note of it has a line sent twice.
      await until(async () => {
        const folder = `${server.folder}/root/logs/older/${id}`;
        const [number, offset] = (await Deno.readTextFile(`${folder}/sent`)).trim().split(" ");
        assertEquals(Number(offset), (await Deno.stat(`${folder}/${number}`)).size, "the line is noted as sent");
      });
      await server.crash();
      // The container may end before this does.
      await server.docker("exec", "sent", "touch", "/go");
      await docker("wait", "sent");
      await has("one", "two");
      assert(/^<134>\w{3} [\d ]\d [\d:]{8} sent\[\d+\]: one\n<131>/.test(text), text);
      await docker("start", "sent");
      await docker("wait", "sent");
      await has("one", "two", "one", "two");
      const logs = ok(await server.docker("logs", "sent"));
      assertEquals(logs, "one\none\n");
      assertEquals(await docker("inspect", "--format", "{{.HostConfig.LogConfig.Type}}", "sent"), "syslog\n");
      assertStringIncludes(await docker("info", "--format", "{{.Plugins.Log}}"), "syslog");
      receiver.end();
      // Nobody receives them: the container does not notice.
      await docker(
        ...run,
        "unheard",
        "--log-driver=syslog",
        "--log-opt",
        "syslog-address=tcp://127.0.0.1:1",
        image,
        "echo",
        "x",
      );
      assertEquals(await docker("wait", "unheard"), "0\n");
      const absent = await server.docker(
        "create",
        "--log-driver=syslog",
        "--log-opt",
        "syslog-address=unix:///no/socket",
        image,
      );
      assertStringIncludes(absent.stderr, "stat /no/socket: no such file or directory");
      const unread = [
        "--log-driver=syslog",
        "--log-opt",
        "syslog-address=udp://127.0.0.1:9",
        "--log-opt",
        "cache-disabled=true",
      ];
      await docker(...run, "unread", ...unread, image, "true");
      assertStringIncludes(
        (await server.docker("logs", "unread")).stderr,
        "configured logging driver does not support reading",
      );
    },
  );

  await t.step("a path is written to, and stays when its container goes", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-logs-" });
    const path = `${folder}/mine.log`;
    await podman(...run, "placed", "--log-opt", `path=${path}`, image, "echo", "kept");
    await podman("wait", "placed");
    assertEquals(await podman("logs", "placed"), "kept\n");
    assertEquals(await podman("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", "placed"), `${path}\n`);
    await podman("rm", "placed");
    assertStringIncludes(await Deno.readTextFile(path), "stdout F kept");
    const absent = await server.podman(...run, "lost", "--log-opt", `path=${folder}/no/x.log`, image, "true");
    assertStringIncludes(absent.stderr, `open ${folder}/no/x.log: no such file or directory`);
    await Deno.remove(folder, { recursive: true });
  });

  await t.step("none has no log, and what no driver here does is refused by name", async () => {
    await podman(...run, "silent", "--log-driver", "none", image, "echo", "gone");
    await podman("wait", "silent");
    // Podman's client reads whatever it is answered as a log.
    assertEquals((await server.podman("logs", "silent")).code, 125);
    const logs = await docker("logs", "silent").catch((error) => String(error));
    assertStringIncludes(logs, "this container is using the 'none' log driver, cannot read logs");
    for (
      const [body, field] of [
        ...hasJournal()
          ? []
          : [[{ driver: "journald" }, '"log_configuration.driver" "journald": this host has no journal'] as const],
        [
          { driver: "gelf" },
          '"log_configuration.driver" is not supported yet: "gelf": the supervisor, conmon, writes files and the journal only',
        ],
        [{ options: { other: "x" } }, '"log_configuration.options" is not supported yet: "other=x"'],
      ] as const
    ) {
      const request = { image, log_configuration: body };
      const reply = await server.request("POST", "/libpod/containers/create", { body: request });
      assertEquals([reply.status, (await reply.json()).message], [501, `Create container: ${field}`]);
    }
    const tagged = await server.podman("create", "--log-driver=k8s-file", "--log-opt", "tag=x", image);
    const text = 'log tags can only be used with the journald log driver but driver is "k8s-file": invalid argument';
    assertStringIncludes(tagged.stderr, text);
  });
});

/** Listens at a path until it is ended. */
async function startReceiver(path: string, take: (piece: string) => void): Promise<AsyncDisposable & { end(): void }> {
  const sockets = new Set<Socket>();
  const receiver = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk: Uint8Array) => take(new TextDecoder().decode(chunk)));
  });
  await new Promise<void>((resolve) => receiver.listen(path, resolve));
  // As the syslog of a machine is: the server may be an ordinary user's.
  await Deno.chmod(path, 0o666);
  const closed = new Promise((resolve) => receiver.once("close", resolve));
  const end = () => {
    for (const socket of sockets) socket.destroy();
    receiver.close();
  };
  return {
    end,
    async [Symbol.asyncDispose]() {
      end();
      await closed;
    },
  };
}
