import { assertEquals, assertRejects } from "@std/assert";
import { boundaryOf, readParts } from "../../handlers/multipart_parts.ts";
import { HTTPError } from "../../lib/rest/mod.ts";

/** The bytes in pieces of a size. */
function pieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at += size));
    },
  });
}

async function read(bytes: Uint8Array, boundary: string, size: number) {
  const found: { name: string; filename: string; type: string; content: string }[] = [];
  for await (const { body, ...head } of readParts(pieces(bytes, size), boundary)) {
    found.push({ ...head, content: await new Response(body).text() });
  }
  return found;
}

Deno.test("readParts() reads what FormData writes, however it is cut", async () => {
  const form = new FormData();
  form.append("request.json", '{"a":1}');
  form.append("file", new File(["one\r\n--two\r\n"], 'od"d.txt', { type: "text/plain" }));
  form.append("empty", new File([], "empty"));
  const response = new Response(form);
  const boundary = boundaryOf(response.headers.get("content-type")) ?? "";
  const bytes = new Uint8Array(await response.arrayBuffer());
  for (const size of [1, 7, 64, 10_000]) {
    const found = await read(bytes, boundary, size);
    assertEquals(found.map(({ name, content }) => [name, content]), [
      ["request.json", '{"a":1}'],
      ["file", "one\r\n--two\r\n"],
      ["empty", ""],
    ]);
    assertEquals([found[1].type, found[2].filename], ["text/plain", "empty"]);
  }
});

Deno.test("readParts() passes over what nobody reads, and takes a part without a head", async () => {
  const text = "preamble\r\n--b\r\n\r\nfirst\r\n--b\r\ncontent-type: x\r\n\r\nsecond\r\n--b--\r\nepilogue";
  const seen: string[] = [];
  for await (const part of readParts(pieces(new TextEncoder().encode(text), 5), "b")) seen.push(part.type);
  assertEquals(seen, ["", "x"]);
});

Deno.test("readParts() refuses what is cut, and boundaryOf() a type without boundary", async () => {
  for (
    const text of ["", "--b", "--b\r\n", "--b\r\nx: y\r\n\r\ncut", `--b\r\n${"h: x\r\n".repeat(10_000)}`, "nothing"]
  ) {
    const error = await assertRejects(() => read(new TextEncoder().encode(text), "b", 1000), HTTPError);
    assertEquals(error.status, 400);
  }
  assertEquals(boundaryOf("application/json"), undefined);
  assertEquals(boundaryOf('multipart/form-data; charset=x; boundary="a b"'), "a b");
  await assertRejects(() => Promise.resolve().then(() => boundaryOf("multipart/form-data")), HTTPError);
});

Deno.test("readParts() ends, and fails with a 400 only, whatever comes", async () => {
  const text =
    '--b\r\nContent-Disposition: form-data; name="a"; filename="c"\r\n\r\nsome\r\n--b\r\n\r\nmore\r\n--b--\r\n';
  const whole = new TextEncoder().encode(text);
  let state = 11;
  const random = (below: number) => ((state = Math.imul(state, 1103515245) + 12345) >>> 16) % below;
  for (let round = 0; round < 2000; round++) {
    const bytes = whole.slice(0, 1 + random(whole.length));
    for (let i = random(4); i > 0; i--) bytes[random(bytes.length)] = [0x0d, 0x0a, 0x2d, 0x62, random(256)][random(5)];
    try {
      await read(bytes, "b", 1 + random(40));
    } catch (error) {
      assertEquals((error as HTTPError).status, 400, String(error));
    }
  }
});
