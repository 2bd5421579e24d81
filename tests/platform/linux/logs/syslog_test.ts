import { assert, assertEquals, assertRejects } from "@std/assert";
import { createSocket } from "node:dgram";
import { rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTLSServer } from "node:tls";
import type { ContainerRecord } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { Datagrams } from "../../../../lib/platform/linux/logs/syslog/datagrams.ts";
import { LogForwarder } from "../../../../lib/platform/linux/logs/syslog/forwarder.ts";
import { processesBelow } from "../../../../lib/platform/linux/helpers/proc.ts";
import { PlaceNotes, readProgress } from "../../../../lib/platform/linux/logs/syslog/place_notes.ts";
import { notifySockets } from "../../../../lib/platform/linux/processes/notify_sockets.ts";
import type { HostPaths } from "../../../../lib/platform/linux/helpers/paths.ts";
import { until } from "../../../fixtures/session.ts";
import { makeCertificates } from "../../../fixtures/platform/certificates.ts";
import { ID, type LogBench, withLog } from "../../../fixtures/platform/log_bench.ts";

/** A receiver of streams, and the lines that it has. */
class Receiver {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  text = "";

  constructor(server: Server) {
    this.server = server;
    server.on(
      server.listenerCount("secureConnection") === 0 && "addContext" in server ? "secureConnection" : "connection",
      (socket) => {
        this.sockets.add(socket);
        socket.on("error", () => {});
        socket.on("data", (chunk: Uint8Array) => this.text += new TextDecoder().decode(chunk));
      },
    );
  }

  async listen(where: string | number): Promise<void> {
    const options = typeof where === "string" ? { path: where } : { port: where, host: "127.0.0.1" };
    await new Promise<void>((resolve) => this.server.listen(options, resolve));
  }

  get port(): number {
    const address = this.server.address();
    assert(address !== null && typeof address === "object");
    return address.port;
  }

  /** The lines that came, without the heads of messages. */
  get lines(): string[] {
    return this.text.split("\n").slice(0, -1).map((line) => line.slice(line.indexOf("]: ") + 3));
  }

  async has(...lines: string[]): Promise<void> {
    await until(() => assertEquals(this.lines, lines));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A receiver at a path of a log's folder. */
async function receiverAt(bench: LogBench): Promise<{ receiver: Receiver; address: string }> {
  const receiver = new Receiver(createServer());
  const path = join(bench.logs, "receiver");
  await receiver.listen(path);
  return { receiver, address: `unix://${path}` };
}

/** A record with what the sending reads of it. */
function recordOf(bench: LogBench, address: string, options: Record<string, string> = {}): ContainerRecord {
  const spec = { logDriver: "syslog", logOptions: { "syslog-address": address, ...options } };
  const process = { args: ["sh"], env: [] };
  const record = {
    id: ID,
    name: "box",
    imageID: "",
    imageName: "",
    log: { driver: "k8s-file", path: bench.path },
    spec,
    process,
  };
  // The sending reads nothing else.
  return record as unknown as ContainerRecord;
}

function commandOf(pid: number): string {
  return Deno.readTextFileSync(`/proc/${pid}/cmdline`);
}

/** Sends a log in the way of a server that lives until `stop()`, and of a container that lives until `end()`. */
class Sending {
  readonly told: string[] = [];
  readonly done: Promise<void>;
  readonly #forwarder = new LogForwarder((_, message) => this.told.push(message));
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<void>();

  constructor(record: ContainerRecord) {
    this.done = this.#forwarder.forward(record, { followUntil: this.#end.promise, signal: this.#stop.signal });
  }

  /** Resolves when all of the log is sent. */
  async end(): Promise<void> {
    this.#end.resolve();
    await this.done;
    await this.#forwarder.close();
  }

  /** Has the log deleted as soon as its container has ended. */
  async drop(path: string): Promise<void> {
    this.#end.resolve();
    await this.#forwarder.drop(path);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.done;
    await this.#forwarder.close();
  }
}

Deno.test("PlaceNotes writes the last place down, though no further line comes", () =>
  withLog(async (bench) => {
    await bench.start(3);
    const notes = new PlaceNotes(bench.path);
    const noted = async () => (await readProgress(bench.path)).place?.offset;
    await notes.note({ number: 1, offset: 10 }, []);
    assertEquals(await noted(), 10);
    await notes.note({ number: 1, offset: 20 }, []);
    await notes.note({ number: 1, offset: 30 }, []);
    await until(async () => assertEquals(await noted(), 30));
    await notes.note({ number: 1, offset: 40 }, []);
    await notes.flush();
    assertEquals(await noted(), 40);
  }));

Deno.test("LogForwarder sends each line once, over new files, other servers and other lives of the container", () =>
  withLog(async (bench) => {
    const receiver = new Receiver(createServer());
    const path = join(bench.logs, "receiver");
    await receiver.listen(path);
    const record = recordOf(bench, `unix://${path}`, { tag: "{{.Name}}" });
    await bench.start(3, true);
    await bench.write("a");
    const first = new Sending(record);
    await receiver.has("a");
    await bench.rotate("b");
    await bench.rotate("c");
    await receiver.has("a", "b", "c");
    await first.stop();
    // Nobody sends meanwhile, and the files before are compressed.
    await bench.write("d");
    await bench.rotate("e");
    await bench.rotate("f");
    const second = new Sending(record);
    await receiver.has("a", "b", "c", "d", "e", "f");
    await second.end();
    await bench.start(3, true);
    await bench.write("g");
    const third = new Sending(record);
    await third.end();
    // The last line may still be in the socket when the sending has ended.
    await receiver.has("a", "b", "c", "d", "e", "f", "g");
    assert(receiver.text.startsWith("<30>Nov 21 00:00:00 box["), receiver.text);
    assertEquals([first.told, second.told, third.told], [[], [], []]);
    await receiver.close();
  }));

Deno.test("LogForwarder tries until its receiver is there, and goes on when that comes back", () =>
  withLog(async (bench) => {
    const path = join(bench.logs, "receiver");
    await bench.start(3);
    await bench.write("a");
    const sending = new Sending(recordOf(bench, `unix://${path}`));
    await until(() => assert(sending.told.length > 0, "a failure is told"));
    const receiver = new Receiver(createServer());
    await receiver.listen(path);
    await receiver.has("a");
    await receiver.close();
    await rm(path, { force: true });
    const next = new Receiver(createServer());
    await next.listen(path);
    await bench.write("b");
    await next.has("b");
    await sending.end();
    assertEquals(sending.told.length, 1);
    await next.close();
  }));

Deno.test("LogForwarder leaves a receiver that is not there when its server stops, and one that reads nothing too", () =>
  withLog(async (bench) => {
    await bench.start(3);
    await bench.write("a");
    await new Sending(recordOf(bench, `unix://${join(bench.logs, "none")}`)).stop();
    const deaf = createServer((socket) => {
      socket.on("error", () => {});
      socket.pause();
    });
    const path = join(bench.logs, "deaf");
    await new Promise<void>((resolve) => deaf.listen({ path, pauseOnConnect: true }, resolve));
    for (let i = 0; i < 100; i++) await bench.write("x".repeat(16_000));
    const sending = new Sending(recordOf(bench, `unix://${path}`));
    await sleep(200);
    await sending.stop();
    deaf.close();
  }));

Deno.test("LogForwarder sends all before a log is deleted, and waits for no receiver that is not there", () =>
  withLog(async (bench) => {
    const { receiver, address } = await receiverAt(bench);
    await bench.start(3);
    const lines = Array.from({ length: 500 }, (_, i) => `${i}`);
    for (const line of lines) await bench.write(line);
    const sending = new Sending(recordOf(bench, address));
    await sending.drop(bench.path);
    await receiver.has(...lines);
    await receiver.close();
    await bench.write("more");
    const lost = new Sending(recordOf(bench, "tcp://127.0.0.1:1"));
    await until(() => assert(lost.told.length > 0, "a failure is told"));
    await lost.drop(bench.path);
    await Promise.all([sending.done, lost.done]);
  }));

Deno.test("LogForwarder sends the last line of a container though it has no end", () =>
  withLog(async (bench) => {
    const { receiver, address } = await receiverAt(bench);
    await bench.start(3);
    await bench.write("a");
    await bench.writePart("no end");
    const sending = new Sending(recordOf(bench, address));
    await receiver.has("a");
    await sending.end();
    await receiver.has("a", "no end");
    await receiver.close();
  }));

Deno.test("LogForwarder sends lines once that came between the parts of another stream's, over servers", () =>
  withLog(async (bench) => {
    const { receiver, address } = await receiverAt(bench);
    await bench.start(3);
    await bench.writePart("name? ");
    await bench.write("a", "stderr");
    const first = new Sending(recordOf(bench, address));
    await receiver.has("a");
    await first.stop();
    await bench.write("b", "stderr");
    const second = new Sending(recordOf(bench, address));
    await receiver.has("a", "b");
    await bench.write("me");
    await receiver.has("a", "b", "name? me");
    await second.end();
    assertEquals(receiver.lines, ["a", "b", "name? me"]);
    await receiver.close();
  }));

Deno.test("LogForwarder trusts no others where the named certificates are not there, and follows a link to them", () =>
  withLog(async (bench) => {
    const pathOf = await makeCertificates(bench.logs);
    await bench.start(3);
    await bench.write("one");
    const [cert, key] = [
      Deno.readTextFileSync(pathOf("server", "pem")),
      Deno.readTextFileSync(pathOf("server", "key")),
    ];
    const tls = new Receiver(createTLSServer({ cert, key }));
    await tls.listen(0);
    const address = `tcp+tls://127.0.0.1:${tls.port}`;
    const authority = join(bench.logs, "link.pem");
    const options = { "syslog-tls-ca-cert": authority };
    const refused = new Sending(recordOf(bench, address, { ...options, "syslog-tls-skip-verify": "true" }));
    await until(() => assert(refused.told.length > 0, "a failure is told"));
    assert(refused.told[0].includes(authority), refused.told[0]);
    await Deno.symlink(pathOf("authority", "pem"), authority);
    await tls.has("one");
    await refused.end();
    await tls.close();
  }));

Deno.test("Datagrams.send() ends a helper that does not answer, and the next one has another", () =>
  withLog(async (bench) => {
    const datagrams = new Datagrams(200);
    const path = join(bench.logs, "none");
    await assertRejects(() => datagrams.send(path, [new Uint8Array(1)]), EngineError, "No such file");
    const helper = processesBelow(Deno.pid).find((pid) => commandOf(pid).includes("answer('sent'"));
    assert(helper !== undefined);
    Deno.kill(helper, "SIGSTOP");
    await assertRejects(() => datagrams.send(path, [new Uint8Array(1)]), EngineError, "the helper ended");
    await assertRejects(() => datagrams.send(path, [new Uint8Array(1)]), EngineError, "No such file");
    await datagrams.close();
  }));

Deno.test("LogForwarder sends over TCP, TLS, UDP and datagrams to a path", () =>
  withLog(async (bench) => {
    const pathOf = await makeCertificates(bench.logs);
    await bench.start(3);
    await bench.write("one");
    const send = async (address: string, options: Record<string, string> = {}) => {
      await rm(join(bench.older, "sent"), { force: true });
      return new Sending(recordOf(bench, address, options));
    };

    const tcp = new Receiver(createServer());
    await tcp.listen(0);
    const overTCP = await send(`tcp://127.0.0.1:${tcp.port}`);
    await tcp.has("one");
    await overTCP.end();
    await tcp.close();

    const [cert, key] = [
      Deno.readTextFileSync(pathOf("server", "pem")),
      Deno.readTextFileSync(pathOf("server", "key")),
    ];
    const tls = new Receiver(createTLSServer({ cert, key }));
    await tls.listen(0);
    const address = `tcp+tls://127.0.0.1:${tls.port}`;
    const refused = await send(address);
    await until(() => assert(refused.told.length > 0, "a failure is told"));
    await refused.stop();
    const overTLS = await send(address, {
      "syslog-tls-ca-cert": pathOf("authority", "pem"),
      "syslog-format": "rfc5424",
    });
    await until(() => assert(tls.text.endsWith(" - one\n"), tls.text));
    assertEquals(Number(/^\d+/.exec(tls.text)![0]), tls.text.length - tls.text.indexOf("<"));
    await overTLS.end();
    await tls.close();

    const udp = createSocket("udp4");
    const message = new Promise<string>((resolve) =>
      udp.on("message", (bytes) => resolve(new TextDecoder().decode(bytes)))
    );
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    const overUDP = await send(`udp://127.0.0.1:${udp.address().port}`);
    assert((await message).endsWith("]: one\n"));
    await overUDP.end();
    udp.close();

    // The folder of such sockets is all that is read of the paths.
    const sockets = notifySockets({ runroot: bench.logs, notify: bench.logs } as unknown as HostPaths);
    await using socket = await sockets.open("receiver");
    const overPath = await send(`unixgram://${socket.folder}/notify.sock`);
    for await (const text of socket.messages) {
      assert(text.endsWith("]: one\n"), text);
      break;
    }
    await overPath.end();
  }));
