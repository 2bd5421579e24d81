import { assertEquals, assertRejects } from "@std/assert";
import { hasContextParts, readContextParts } from "../../../handlers/builds/context_parts.ts";
import { RequestError } from "../../../handlers/request_error.ts";

/** A body in pieces of a size. */
function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += size));
    },
  });
}

async function sample(): Promise<{ bytes: Uint8Array; type: string }> {
  const form = new FormData();
  form.append("MainContext", new Blob(["main\r\n--not the boundary\r\n"]), "MainContext.tar");
  form.append("other", "passed over");
  form.append("build-context-a b", new Blob(["x".repeat(1000)]), "a b");
  form.append("build-context-empty", new Blob([]), "empty");
  const request = new Request("http://localhost", { method: "POST", body: form });
  return { bytes: await request.bytes(), type: request.headers.get("content-type")! };
}

Deno.test("readContextParts() gives each context as it comes, however the body is cut", async () => {
  const { bytes, type } = await sample();
  assertEquals([hasContextParts(type), hasContextParts("application/x-tar"), hasContextParts(null)], [
    true,
    false,
    false,
  ]);
  for (const size of [1, 7, 64, 100_000]) {
    const found: [string, number][] = [];
    for await (const { name, archive } of readContextParts(inPieces(bytes, size), type)) {
      found.push([name, (await new Response(archive).text()).length]);
    }
    assertEquals(found, [["", 26], ["a b", 1000], ["empty", 0]]);
  }
});

Deno.test("readContextParts() passes over what is not read", async () => {
  const { bytes, type } = await sample();
  const names: string[] = [];
  for await (const { name } of readContextParts(inPieces(bytes, 10), type)) names.push(name);
  assertEquals(names, ["", "a b", "empty"]);
});

Deno.test("readContextParts() refuses a body that is not of that form", async () => {
  const { bytes, type } = await sample();
  const read = async (body: Uint8Array, type: string) => {
    for await (const { archive } of readContextParts(inPieces(body, 50), type)) await new Response(archive).text();
  };
  await assertRejects(() => read(bytes, "multipart/form-data"), RequestError, "no boundary");
  await assertRejects(() => read(bytes.slice(0, -70), type), RequestError, "ends before its last boundary");
  await assertRejects(() => read(new Uint8Array(10), type), RequestError, "ends before its last boundary");
  const boundary = type.split("boundary=")[1];
  const nameless = new TextEncoder().encode(`--${boundary}\r\nX: y\r\n\r\nbody\r\n--${boundary}--\r\n`);
  await assertRejects(() => read(nameless, type), RequestError, "a part has no name");
  const long = new TextEncoder().encode(`--${boundary}\r\n${"X".repeat(20_000)}`);
  await assertRejects(() => read(long, type), RequestError, "the head of a part");
});
