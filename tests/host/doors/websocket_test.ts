/** What a page sees of containers, with a real WebSocket client against a real host. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { socketProtocols } from "../../../lib/rest/mod.ts";
import { Session } from "../../fixtures/session.ts";

/** A WebSocket's messages, binary ones as bytes. */
class Page {
  readonly messages: (string | Uint8Array)[] = [];
  readonly closed: Promise<number>;
  readonly socket: WebSocket;
  #wake = () => {};

  constructor(url: string, protocols?: string[]) {
    this.socket = new WebSocket(url, protocols);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => {
      this.messages.push(typeof data === "string" ? data : new Uint8Array(data));
      this.#wake();
    };
    this.closed = new Promise((resolve) => this.socket.onclose = ({ code }) => resolve(code));
  }

  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.onopen = () => resolve();
      this.socket.onerror = () => reject(new Error("the WebSocket did not open"));
    });
  }

  /** All bytes so far as text. */
  get text(): string {
    return this.messages.map((message) => typeof message === "string" ? message : new TextDecoder().decode(message))
      .join("");
  }

  /** Waits until the bytes so far hold a text. */
  async until(text: string): Promise<void> {
    const end = performance.now() + 120_000;
    while (!this.text.includes(text)) {
      assert(performance.now() < end, `"${text}" did not come; this did: ${this.text}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 100);
      });
    }
  }
}

Deno.test("a page attaches, reads logs, and hears of stats and events over WebSockets", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-token-" });
  await Deno.writeTextFile(`${folder}/token`, "open-sesame\n", { mode: 0o600 });
  await using session = await Session.start({ args: [`--token-file=${folder}/token`] });
  const { server, image } = session;
  const tcp = server.addresses.find((address) => address.startsWith("tcp:"))!.replace("tcp:", "ws:");
  const page = (path: string) => new Page(`${tcp}${path}`, socketProtocols("open-sesame"));
  const headers = { authorization: "Bearer open-sesame" };
  const post = async (path: string, body?: unknown) => {
    const reply = await server.request("POST", path, { body, headers });
    const text = await reply.text();
    assert(reply.status < 300, `${path}: ${reply.status} ${text}`);
    return text;
  };
  await post(`/libpod/images/pull?reference=${image}&tlsVerify=false`);
  const create = async (name: string, command: string[], more: Record<string, unknown> = {}) => {
    await post("/libpod/containers/create", { image, name, command, netns: { nsmode: "none" }, ...more });
  };

  await t.step("nobody without the token gets in", async () => {
    for (
      const path of [
        "/events",
        "/containers/x/attach/ws",
        "/libpod/exec/x/start/ws",
        "/libpod/containers/x/logs?stdout=1",
      ]
    ) {
      const refused = new Page(`${tcp}${path}`);
      assertEquals(await refused.opened().then(() => "open", () => "refused"), "refused");
    }
  });

  await t.step("attach/ws carries bytes both ways, and ends with the container", async () => {
    await create("echo", ["sh", "-c", "echo ready; echo oops >&2; cat; echo over"], { stdin: true });
    const shell = page("/containers/echo/attach/ws?stream=1&stdin=1&stdout=1&stderr=1");
    await shell.opened();
    await post("/libpod/containers/echo/start");
    await shell.until("ready");
    await shell.until("oops");
    shell.socket.send("typed\n");
    await shell.until("typed\n");
    shell.socket.send(new Uint8Array([0xff, 0x00, 0x0a]));
    // The end of the input.
    shell.socket.send(new Uint8Array());
    assertEquals(await shell.closed, 1000);
    const bytes = shell.messages.flatMap((message) => [...message as Uint8Array]);
    const at = bytes.indexOf(0xff);
    assertEquals(bytes.slice(at, at + 3), [0xff, 0x00, 0x0a], "bytes are left alone");
    assert(shell.text.endsWith("over\n"));
  });

  await t.step("the native tree's keeps the streams apart, in frames; a terminal's is raw", async () => {
    await create("frames", ["sh", "-c", "echo out; echo err >&2"]);
    const framed = page("/libpod/containers/frames/attach/ws");
    await framed.opened();
    await post("/libpod/containers/frames/start");
    assertEquals(await framed.closed, 1000);
    const frames = framed.messages.map((message) => [...message as Uint8Array]);
    assert(frames.some((frame) => frame[0] === 1 && frame[7] === 4), "out");
    assert(frames.some((frame) => frame[0] === 2 && frame[7] === 4), "err");
    await create("tty", ["sh"], { terminal: true, stdin: true });
    const terminal = page("/libpod/containers/tty/attach/ws");
    await terminal.opened();
    await post("/libpod/containers/tty/start");
    terminal.socket.send("stty size; exit\n");
    assertEquals(await terminal.closed, 1000);
    assertStringIncludes(terminal.text, "stty size; exit\r\n");
  });

  await t.step(
    "a further process runs over a WebSocket: with a terminal of a size, or in frames, with input",
    async () => {
      const prepare = async (config: Record<string, unknown>) => {
        const text = await post("/libpod/containers/host/exec", { AttachStdout: true, AttachStderr: true, ...config });
        return (JSON.parse(text) as { Id: string }).Id;
      };
      await create("host", ["sleep", "100"]);
      await post("/libpod/containers/host/start");
      const id = await prepare({ Cmd: ["sh"], Tty: true, AttachStdin: true });
      const shell = page(`/libpod/exec/${id}/start/ws?h=21&w=43`);
      await shell.opened();
      shell.socket.send("stty size; read x; stty size; exit 7\n");
      await shell.until("21 43");
      await post(`/libpod/exec/${id}/resize?h=30&w=50`);
      shell.socket.send("go\n");
      await shell.until("30 50");
      assertEquals(await shell.closed, 1000);
      const told = await server.request("GET", `/libpod/exec/${id}/json`, { headers });
      assertEquals((await told.json()).ExitCode, 7);

      const command = ["sh", "-c", "cat; echo oops >&2"];
      const filter = page(`/libpod/exec/${await prepare({ Cmd: command, AttachStdin: true })}/start/ws`);
      await filter.opened();
      filter.socket.send("typed\n");
      filter.socket.send(new Uint8Array());
      assertEquals(await filter.closed, 1000);
      const frames = filter.messages.map((message) => message as Uint8Array);
      assertEquals(frames.map((frame) => frame[0]).sort(), [1, 2]);
      assertStringIncludes(filter.text, "typed\n");

      const broken = page(`/libpod/exec/${await prepare({ Cmd: ["/nowhere"] })}/start/ws`);
      assertEquals(await broken.closed, 1000);
      assertStringIncludes(broken.text, "/nowhere");

      const plain = await prepare({ Cmd: ["true"] });
      for (const [exec, status] of [[plain, 400], ["f".repeat(64), 404], [id, 500]] as const) {
        assertEquals((await server.request("GET", `/libpod/exec/${exec}/start/ws`, { headers })).status, status);
      }
      const foreign = { ...headers, origin: "https://evil.example", connection: "Upgrade", upgrade: "websocket" };
      assertEquals((await server.request("GET", `/libpod/exec/${plain}/start/ws`, { headers: foreign })).status, 403);
      const untouched = await server.request("GET", `/libpod/exec/${plain}/json`, { headers });
      assertEquals((await untouched.json()).Running, false);
      await server.request("DELETE", "/libpod/containers/host?force=true&timeout=0", { headers });
    },
  );

  await t.step("logs follow to the end, in binary messages", async () => {
    await create("counts", ["sh", "-c", "for i in 1 2 3; do echo line $i; sleep 0.1; done"]);
    await post("/libpod/containers/counts/start");
    const logs = page("/containers/counts/logs?stdout=1&follow=1");
    assertEquals(await logs.closed, 1000);
    for (const line of ["line 1\n", "line 2\n", "line 3\n"]) assertStringIncludes(logs.text, line);
    assert(logs.messages.every((message) => message instanceof Uint8Array));
  });

  await t.step("stats and events are JSON, one text message each", async () => {
    await create("runs", ["sleep", "100"]);
    const events = page("/libpod/events?filters=" + encodeURIComponent(JSON.stringify({ container: ["runs"] })));
    await events.opened();
    await post("/libpod/containers/runs/start");
    await events.until('"Action":"start"');
    const stats = page("/containers/runs/stats");
    await stats.opened();
    await stats.until("memory_stats");
    assertEquals(JSON.parse(stats.messages[0] as string).name, "/runs");
    assertEquals(JSON.parse(events.messages.at(-1) as string).Actor.Attributes.name, "runs");
    stats.socket.close();
    events.socket.close();
    await Promise.all([stats.closed, events.closed]);
  });

  await t.step("a page that goes away leaves the container running, and a reader that follows ends", async () => {
    const gone = page("/containers/runs/attach/ws?stdin=1&stdout=1");
    await gone.opened();
    const logs = page("/containers/runs/logs?stdout=1&follow=1");
    await logs.opened();
    gone.socket.close();
    logs.socket.close();
    await Promise.all([gone.closed, logs.closed]);
    const reply = await server.request("GET", "/libpod/containers/runs/json", { headers });
    assertEquals((await reply.json()).State.Status, "running");
    await server.request("DELETE", "/libpod/containers/runs?force=true&timeout=0", { headers });
  });

  await t.step("what cannot be attached to is refused before the socket opens", async () => {
    const absent = page("/containers/nobody/attach/ws");
    assertEquals(await absent.opened().then(() => "open", () => "refused"), "refused");
    const plain = await server.request("GET", "/containers/tty/attach/ws", { headers });
    assertEquals(plain.status, 400);
  });
  for (const name of ["echo", "frames", "tty", "counts"]) {
    await server.request("DELETE", `/libpod/containers/${name}?force=true&timeout=0`, { headers });
  }
  await Deno.remove(folder, { recursive: true });
});
