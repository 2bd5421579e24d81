/** The memory that a form with a large file costs a server of its own process. */
import { assert, assertEquals } from "@std/assert";
import { memoryOf, STREAM_ROOM } from "../../fixtures/memory.ts";

const MEGABYTE = 1 << 20;
const SIZE = 100;

/** A form with a file of 100 MB, which this process does not hold either. */
function largeForm(): ReadableStream<Uint8Array> {
  const head = `--x\r\ncontent-disposition: form-data; name="title"\r\n\r\nlarge\r\n` +
    `--x\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\ncontent-type: image/png\r\n\r\n`;
  const piece = new Uint8Array(MEGABYTE).map((_, index) => index);
  const pieces = function* () {
    yield new TextEncoder().encode(head);
    for (let index = 0; index < SIZE; index++) yield piece;
    yield new TextEncoder().encode("\r\n--x--\r\n");
  };
  return ReadableStream.from(pieces());
}

Deno.test("defect: multipart holds a file of 100 MB once", async () => {
  const module = new URL("../../fixtures/rest/form_server.ts", import.meta.url).pathname;
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", module],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const port = (await reader.read()).value?.trim();
    const post = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/files`, {
        method: "POST",
        body: largeForm(),
        headers: { "content-type": "multipart/form-data; boundary=x" },
      });
      assertEquals(await response.text(), `large a.bin ${SIZE * MEGABYTE}`);
    };
    const above = await memoryOf(server.pid, post);
    assert(above < SIZE + STREAM_ROOM, `a form with a file of ${SIZE} MB took ${above} MB`);
  } finally {
    await server.stdin.close();
    await reader.cancel();
    await server.status;
  }
});
