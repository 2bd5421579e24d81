import { assert, assertEquals } from "@std/assert";
import { readParts } from "../../../lib/rest/codecs/multipart_parts.ts";
import { Delimiter, PartSource } from "../../../lib/rest/codecs/part_source.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

/** Numbers that are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (;;) yield seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
}

Deno.test("Delimiter finds the first place of its bytes, as a search of texts does", () => {
  const random = numbers(7);
  const draw = (below: number) => (random.next().value >> 8) % below;
  for (let round = 0; round < 20_000; round++) {
    // Few letters, so that most of them nearly fit.
    const letters = ["\r", "\n", "-", "a", "\xff"].slice(0, 2 + draw(4));
    const make = (length: number) => Uint8Array.from({ length }, () => letters[draw(letters.length)].charCodeAt(0));
    const delimiter = make(1 + draw(6));
    const others = make(draw(40));
    const found = new Delimiter(delimiter).indexIn(others);
    assertEquals(found, latin1(others).indexOf(latin1(delimiter)), JSON.stringify([...others, "|", ...delimiter]));
  }
  const longest = encode(`\r\n--${"\uffff".repeat(70)}`);
  const others = new Uint8Array(1000);
  others.set(longest, 700);
  assertEquals(new Delimiter(longest).indexIn(others), 700);
});

Deno.test("Delimiter looks at no byte more than a few times, however boundary and content are chosen", () => {
  const size = 20_000;
  const rows: [boundary: string, content: string][] = [
    ["boundary", "\r"],
    ["boundary", "\r\n"],
    ["boundary", "\r\n--"],
    ["boundary", "\r\n\r\n--boundar"],
    ["a".repeat(70), "a"],
    ["a".repeat(70), "\ra"],
    ["a".repeat(70), `\r\n--${"a".repeat(69)}b`],
    ["a".repeat(70), `\r\n--${"a".repeat(68)}`],
    ["-".repeat(70), "\r\n-"],
    ["ab".repeat(35), "ab"],
    ["ab".repeat(35), "\r\n--ab"],
  ];
  for (const [boundary, content] of rows) {
    const bytes = encode(content.repeat(Math.ceil(size / content.length)).slice(0, size));
    let looks = 0;
    const counted = new Proxy(bytes, {
      get(target, key) {
        looks++;
        return Reflect.get(target, key, target);
      },
    });
    assertEquals(new Delimiter(encode(`\r\n--${boundary}`)).indexIn(counted), -1);
    assert(looks < 6 * size, `${looks} looks at ${size} bytes of ${JSON.stringify(content)}`);
  }
});

const FORM = encode('--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n');
const END = encode("\r\n--x--\r\n");

Deno.test("PartSource frees pieces of a stream of bytes, whose memory is its own, and of no other", async () => {
  for (const type of ["bytes", undefined] as const) {
    const source = {
      type,
      start(controller: ReadableStreamController<Uint8Array>) {
        controller.enqueue(new Uint8Array(1000));
        controller.close();
      },
    };
    // A source of one kind or the other, as `type` says.
    const parts = new PartSource(new ReadableStream(source as UnderlyingSource<Uint8Array>), Infinity);
    const delimiter = new Delimiter(encode("\r\n--x"));
    // The line end that stands for the one before the first boundary.
    await parts.before(delimiter);
    const piece = await parts.before(delimiter);
    assertEquals(piece?.length, 996);
    parts.free(piece!);
    assertEquals(piece!.length, type === "bytes" ? 0 : 996);
  }
});

Deno.test("a form leaves the pieces of its sender as they are, and holds what they were", async () => {
  const piece = new Uint8Array(100_000).fill(120);
  const body = ReadableStream.from([FORM, piece, piece, END]);
  const [[name, file]] = await Array.fromAsync(readParts(body, "multipart/form-data; boundary=x"));
  assertEquals([name, (file as File).size, piece.length, FORM.length > 0], ["f", 200_000, 100_000, true]);
  const bytes = new Response(new Blob([FORM, piece, piece, END])).body;
  const [[, held]] = await Array.fromAsync(readParts(bytes, "multipart/form-data; boundary=x"));
  assert(await (held as File).text() === "x".repeat(200_000));
});
