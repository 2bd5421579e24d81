import { assertEquals } from "@std/assert";
import { connect } from "node:net";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("clients that stop reading and go away leave no open log files, sockets or helpers behind", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  assertEquals((await server.podman("pull", "-q", image)).code, 0);
  // With the first attachment the server begins to listen for the processes that carry them, for good.
  assertEquals((await server.podman("run", "--rm", "--network", "none", image, "true")).code, 0);
  const script = "head -c 20000000 /dev/zero | tr '\\0' x | fold -w 100; sleep 100";
  const started = await server.podman("run", "-d", "--name", "flood", "--network", "none", image, "sh", "-c", script);
  assertEquals(started.code, 0, started.stderr);
  await until(async () => {
    const { size } = await Deno.stat(`${server.folder}/root/logs/${started.stdout.trim()}.log`);
    assertEquals(size > 20_000_000, true);
  });
  const open = () => {
    const names = [...Deno.readDirSync(`/proc/${server.pid}/fd`)].map(({ name }) => {
      try {
        return Deno.readLinkSync(`/proc/${server.pid}/fd/${name}`);
      } catch {
        return "";
      }
    });
    return names.filter((name) => name.endsWith(".log") || name.startsWith("socket:")).length;
  };
  const before = open();
  const requests = [
    "GET /libpod/containers/flood/logs?stdout=true&follow=true",
    "GET /libpod/containers/flood/logs?stdout=true&tail=100000",
    "GET /containers/flood/logs?stdout=true&stderr=true",
    "POST /containers/flood/attach?stream=true&logs=true&stdout=true",
    "GET /events",
  ];
  const clients = requests.flatMap((request) => Array(5).fill(request)).map((request: string) => {
    const socket = connect({ path: server.socket });
    socket.on("error", () => {});
    socket.write(`${request} HTTP/1.1\r\nHost: d\r\n\r\n`);
    // Takes the first bytes, then nothing more.
    return new Promise<typeof socket>((resolve) => {
      setTimeout(() => resolve(socket), 3000);
      socket.once("readable", () => {
        socket.read(1);
        resolve(socket);
      });
    });
  });
  for (const socket of await Promise.all(clients)) socket.destroy();
  await until(() => {
    assertEquals(open(), before);
    return Promise.resolve();
  });
});
