/** The page's consoles, followed text and switches: what they read, and in a real browser. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { api, DefinitionError, type Handler, handler, implement, rest, stream } from "../../../lib/rest/mod.ts";
import { surfaces } from "../../../lib/rest/surfaces.ts";
import { FrameReader } from "../../../lib/rest/surfaces/page/script/console/frames.ts";
import { Screen } from "../../../lib/rest/surfaces/page/script/console/screen.ts";
import { namesIn } from "../../../lib/rest/surfaces/page/script/recent.ts";
import { z } from "../../fixtures/zod.ts";
import { shopTest } from "../../fixtures/rest/shop_page.ts";

const encoder = new TextEncoder();

function frame(stream: number, text: string): Uint8Array {
  const data = encoder.encode(text);
  return new Uint8Array([stream, 0, 0, 0, 0, 0, data.length >> 8, data.length & 0xff, ...data]);
}

Deno.test("FrameReader takes frames apart wherever they are cut, and leaves other bytes as they are", () => {
  const bytes = new Uint8Array([...frame(1, "out\n"), ...frame(2, "oops"), ...frame(1, ""), ...frame(1, "more")]);
  for (const size of [1, 3, 8, 100]) {
    const reader = new FrameReader(true);
    let [out, err] = ["", ""];
    for (let at = 0; at < bytes.length; at += size) {
      for (const { isError, bytes: part } of reader.read(bytes.subarray(at, at + size))) {
        const text = new TextDecoder().decode(part);
        if (isError) err += text;
        else out += text;
      }
    }
    assertEquals([out, err, reader.isFramed], ["out\nmore", "oops", true]);
  }
  for (const text of ["/ # ", "\x01\x00x", "\x02"]) {
    const reader = new FrameReader(true);
    const parts = [...encoder.encode(text)].flatMap((byte) => reader.read(new Uint8Array([byte])));
    const whole = parts.flatMap(({ bytes }) => [...bytes]);
    // Bytes that may yet become a frame wait.
    assertEquals(whole, text === "\x02" ? [] : [...encoder.encode(text)]);
  }
  assertEquals(new FrameReader(false).read(frame(1, "x")).length, 1);
});

/** The lines of a screen, and the styles in them. */
function shown(screen: Screen): [text: string, styles: string][] {
  return screen.take().lines.map(([, runs]) => [
    runs.map(({ text }) => text).join(""),
    runs.map(({ style }) => style).join(),
  ]);
}

Deno.test("Screen writes over a line, moves its cursor, colours and erases, wherever sequences are cut", () => {
  const cases: [written: string, lines: string[]][] = [
    ["one\ntwo", ["one", "two"]],
    ["10%\r20%\r100%", ["100%"]],
    ["typo\b\bed", ["tyed"]],
    ["a\tb", ["a       b"]],
    ["long line\r\x1b[Kshort", ["short"]],
    ["\x1b]0;a title\x07seen\x1b(B\x1b[?25h", ["seen"]],
    ["1\r\n2\r\n3\x1b[2Aup", ["1up", "2", "3"]],
    ["old\r\nold\x1b[2J\x1b[Hnew", ["new", ""]],
    ["\x1b[2;3Hx", ["", "  x"]],
    ["abcdefghijklm", ["abcdefghij", "klm"]],
    ["\x1b[\x01broken", ["[broken"]],
  ];
  for (const [written, lines] of cases) {
    for (const size of [1, 100]) {
      const screen = new Screen(4, 10);
      for (let at = 0; at < written.length; at += size) screen.write(written.slice(at, at + size));
      assertEquals(shown(screen).map(([text]) => text), lines, JSON.stringify(written));
    }
  }
  const coloured = new Screen();
  coloured.write("plain \x1b[1;31mred\x1b[0m \x1b[38;5;2mgreen\x1b[39m \x1b[38;2;1;2;3mown");
  coloured.write("oops", "error");
  assertEquals(shown(coloured), [["plain red green ownoops", ",bold c1,,c2,,error"]]);
});

Deno.test("Screen keeps a bounded number of lines, of a bounded length", () => {
  const screen = new Screen();
  for (let i = 0; i < 5000; i++) screen.write(`${i}\n`);
  const { gone, count, lines } = screen.take();
  assertEquals([gone, count, lines.length], [3001, 2000, 2000]);
  assertEquals(lines.at(-2)![1][0].text, "4999");
  screen.write("x".repeat(5000));
  assert(screen.take().lines.every(([, runs]) => runs.every(({ text }) => text.length <= 1000)));
  const held = new Screen();
  held.write(`\x1b]${"x".repeat(100_000)}`);
  held.write("\x1b[999999999;999999999Hend");
  assert(held.take().count <= 2000, "a cursor goes no further than the screen");
});

Deno.test("namesIn() finds names and IDs at the top of JSON", () => {
  assertEquals(namesIn('{"Id":"a1","Name":"b","State":{"Id":"no"}}'), ["a1", "b"]);
  assertEquals(namesIn('[{"id":"c"},{"Id":7},null,"text"]'), ["c"]);
  assertEquals(namesIn("no JSON"), []);
});

const Size = z.object({ rows: z.int().optional(), columns: z.int().optional() });
const Choices = z.object({ on: z.boolean().optional(), off: z.boolean().optional(), needed: z.boolean() });

const shell = api("shell.example.com", {
  Shell: rest("GET /shells/{id=%v}/open?%v", [z.string(), Size], [stream()], {
    view: { as: "console", frames: true, size: { operation: "Resize", rows: "rows", columns: "columns" } },
  }),
  Resize: rest("PUT /shells/{id=%v}/size?%v", [z.string(), Size]),
  Log: rest("GET /log", [], [stream()], { view: { as: "text", frames: true } }),
  Choose: rest("GET /choose?%v", [Choices], [z.string()]),
});

Deno.test("api() refuses a view of what is no stream, and a console that is opened by another method than GET", () => {
  const view = { as: "console" } as const;
  for (const operation of [rest("GET /a", [], [z.string()], { view }), rest("POST /a", [], [stream()], { view })]) {
    assertThrows(() => api("x", { Odd: operation }), DefinitionError, 'the option "view" needs a stream');
  }
});

/** Serves a shell that answers each line, and tells its sizes. The shell "late" is opened when `lateMayOpen` says so. */
function serveShell(lateMayOpen: Promise<void>): Handler {
  const sizes: string[] = [];
  const follow = new TransformStream<Uint8Array, Uint8Array>();
  return handler(
    null,
    implement(shell, {
      async Shell(id, { rows, columns }, context) {
        if (id === "late") await lateMayOpen;
        const { socket, response } = context.platform.upgradeWebSocket!({ protocol: "gantry.plain" });
        socket.binaryType = "arraybuffer";
        if (id === "framed") socket.onopen = () => socket.send(frame(2, "a warning\n").slice());
        socket.onmessage = ({ data }) => {
          const line = new TextDecoder().decode(data);
          if (line === "\x03" || line === "") return socket.close(1000);
          const text = line === "size\n" ? `${columns}x${rows} then ${sizes}\n` : `you said ${line}`;
          socket.send(id === "framed" ? frame(1, text).slice() : encoder.encode(text));
        };
        return response;
      },
      Resize: (_id, { rows, columns }) => void sizes.push(`${columns}x${rows}`),
      async Log() {
        const writer = follow.writable.getWriter();
        // The second piece comes only when the page has shown the first.
        void writer.write(frame(1, "first\n")).then(async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          await writer.write(frame(2, "second\n"));
        });
        return await Promise.resolve(follow.readable);
      },
      Choose: (choices) => JSON.stringify(choices),
    }),
  );
}

const late = Promise.withResolvers<void>();

shopTest(
  "docsPage() opens a console with its size, shows text as it comes, and sends a switch only when it is set",
  async ({ page }) => {
    const article = page.locator("article#Shell");
    const status = (text: RegExp) => article.locator(".answer .status", { hasText: text }).waitFor();
    const connect = async (id: string) => {
      await article.getByLabel("id*").fill(id);
      await article.getByRole("button", { name: "Connect" }).click();
    };
    const say = async (line: string) => {
      await article.getByLabel("Line to send").fill(line);
      await article.getByLabel("Line to send").press("Enter");
    };
    await connect("late");
    await status(/^Opening$/);
    await say("early");
    late.resolve();
    await article.locator(".screen", { hasText: "you said early" }).waitFor();
    await article.getByRole("button", { name: "Ctrl+C" }).click();
    await status(/^Closed$/);

    await connect("raw");
    await status(/^Open$/);
    await say("hello");
    await article.locator(".screen.fixed", { hasText: "you said hello" }).waitFor();
    await article.getByRole("spinbutton", { name: "Columns" }).fill("55");
    const resized = page.waitForResponse((response) => /\/size\?/.test(response.url()));
    await article.getByRole("spinbutton", { name: "Rows" }).press("Tab");
    await resized;
    await article.getByLabel("Line to send").press("ArrowUp");
    assertEquals(await article.getByLabel("Line to send").inputValue(), "hello", "a line comes back");
    await article.getByLabel("Line to send").fill("size");
    await article.getByRole("button", { name: "Send", exact: true }).click();
    await article.locator(".screen", { hasText: /\d+x24 then 55x24/ }).waitFor();
    await article.getByRole("button", { name: "Ctrl+C" }).click();
    await status(/^Closed$/);
    assertEquals(await article.getByLabel("Line to send").count(), 0);

    await connect("framed");
    await status(/^Open$/);
    await article.locator(".screen .error", { hasText: "a warning" }).waitFor();
    await say("hi");
    await article.locator(".screen", { hasText: "you said hi" }).waitFor();
    const typed = article.getByLabel("Line to send");
    await typed.fill("half a line");
    await typed.press("ArrowUp");
    await typed.press("ArrowDown");
    assertEquals(await typed.inputValue(), "half a line", "what was not sent is kept");
    await typed.selectText();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", "one\\ntwo\\nthr");
      const field = document.querySelector("#Shell .typed");
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    await article.locator(".screen", { hasText: /you said one\s*you said two/ }).waitFor();
    assertEquals(await typed.inputValue(), "thr", "the last line is not whole yet");
    await article.getByRole("button", { name: "End input" }).click();
    await status(/^Closed$/);
    assertEquals(await article.getByRole("button", { name: "Ctrl+C" }).count(), 0, "nothing is left to press");
    assertEquals(await article.locator("[data-told]").textContent(), "Closed");

    await article.locator("[data-code] summary").click();
    await article.locator("[data-code] pre", { hasText: 'new WebSocket("ws://' }).waitFor();

    const log = page.locator("article#Log");
    await log.locator("[type=submit]").click();
    await log.locator(".screen .error", { hasText: "second" }).waitFor();
    assertStringIncludes(await log.locator(".screen").textContent() ?? "", "first");
    await log.getByRole("button", { name: "Stop" }).click();
    await log.locator("[type=submit]:enabled").waitFor();

    const choose = page.locator("article#Choose");
    const answer = async () => {
      await choose.locator("[type=submit]").click();
      await choose.locator("[type=submit]:enabled").waitFor();
      return await choose.locator("pre.body").textContent();
    };
    assertEquals(await answer(), '{"needed":false}');
    await choose.getByLabel("on", { exact: true }).check();
    await choose.getByLabel("off", { exact: true }).check();
    await choose.getByLabel("off", { exact: true }).uncheck();
    await choose.getByLabel("needed").check();
    assertEquals(await answer(), '{"on":true,"off":false,"needed":true}');
    await choose.getByRole("button", { name: "Do not send" }).first().click();
    assertEquals(await answer(), '{"off":false,"needed":true}');
  },
  false,
  surfaces(shell, { title: "Shell", fallback: serveShell(late.promise) }),
);
