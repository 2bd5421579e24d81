import { assertEquals, assertThrows } from "@std/assert";
import { decode, DecodeError } from "../../../handlers/wire/decode.ts";
import { UInt64OrMinusOne, WirePOSIXRlimit } from "../../../handlers/wire/numbers.ts";
import { SpecGenerator } from "../../../handlers/wire/containers/spec_generator.ts";
import { CreateContainerConfig } from "../../../handlers/wire/compat/container_create.ts";
import { z } from "../../../handlers/wire/zod.ts";
import { captured } from "../clients/requests.ts";

const Inner = z.object({ Text: z.string(), Count: z.number() });
const Sample = z.object({
  Name: z.string(),
  flag: z.boolean(),
  List: z.array(z.string()).nullable(),
  left: z.string().optional(),
  pointer: z.number().nullish(),
  inner: Inner,
  map: z.record(z.string(), Inner).nullable(),
});

const ZERO = { Name: "", flag: false, List: null, inner: { Text: "", Count: 0 }, map: null };

Deno.test("decode() reads what Go would", () => {
  const rows: [body: string, expected: unknown][] = [
    ["", ZERO],
    [" \n", ZERO],
    ["{}", ZERO],
    ["null", ZERO],
    ['{"name":"a","FLAG":true,"lIST":["x"]}', { ...ZERO, Name: "a", flag: true, List: ["x"] }],
    ['{"unknown":{"deep":[1]}}', ZERO],
    ['{"Name":null,"left":null,"pointer":null,"inner":null,"map":null}', ZERO],
    ['{"left":"","pointer":0}', { ...ZERO, left: "", pointer: 0 }],
    ['{"inner":{"TEXT":"t"}}', { ...ZERO, inner: { Text: "t", Count: 0 } }],
    ['{"map":{"KEY":{"text":"t"},"b":null}}', {
      ...ZERO,
      map: { KEY: { Text: "t", Count: 0 }, b: { Text: "", Count: 0 } },
    }],
    ['{"Name":"first","name":"last"}', { ...ZERO, Name: "last" }],
    ['{"Name":"kept","name":null}', { ...ZERO, Name: "kept" }],
  ];
  for (const [body, expected] of rows) assertEquals(decode(Sample, body), expected as never, body);
});

Deno.test("decode() names the place of what does not fit", () => {
  const rows: [body: string, message: string][] = [
    ['{"Name":1}', '"Name"'],
    ['{"inner":{"Count":"1"}}', '"inner.Count"'],
    ['{"List":{}}', '"List"'],
    ["[]", "expected object"],
    ['{"Name"', "Decoding request body as JSON"],
    ['"text"', "expected object"],
  ];
  for (const [body, message] of rows) assertThrows(() => decode(Sample, body), DecodeError, message, body);
});

Deno.test("decode() keeps a foreign __proto__ from being one", () => {
  const read = decode(Sample, '{"map":{"__proto__":{"Text":"t"}},"__proto__":{"Name":"x"}}');
  assertEquals(read.Name, "");
  assertEquals(Object.getPrototypeOf(read.map), Object.prototype);
  assertEquals(Object.keys(read.map ?? {}), []);
});

Deno.test("decode() goes no deeper into a body than its schema", () => {
  const nested = '{"next":'.repeat(100_000) + "{}" + "}".repeat(100_000);
  assertEquals(decode(Sample, `{"Name":"a","unknown":${nested}}`).Name, "a");
});

Deno.test("UInt64OrMinusOne reads every 64-bit number exactly", () => {
  const rows: [text: string, expected: bigint][] = [
    ["0", 0n],
    ["1024", 1024n],
    ["-1", 18446744073709551615n],
    ["-9223372036854775808", 18446744073709551615n],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["18446744073709551614", 18446744073709551614n],
    ["18446744073709551615", 18446744073709551615n],
  ];
  for (const [text, expected] of rows) {
    const body = `{"type":"nofile","soft":${text},"Hard":${text}}`;
    assertEquals(decode(WirePOSIXRlimit, body), { type: "nofile", hard: expected, soft: expected });
  }
  for (const text of ["18446744073709551616", "1.5", '"1"', "1e30"]) {
    assertThrows(() => decode(WirePOSIXRlimit, `{"type":"x","soft":0,"hard":${text}}`), DecodeError, undefined, text);
  }
  assertEquals(UInt64OrMinusOne.parse(-1), 18446744073709551615n);
});

Deno.test("decode() reads what real clients send", () => {
  for (const { name, body } of Object.values(captured("podman_4_3_1"))) {
    const read = decode(SpecGenerator, body);
    assertEquals(read.raw_image_name, "busybox", name);
  }
  const { r_limits, expose } = decode(SpecGenerator, captured("podman_4_3_1").everything.body);
  assertEquals(r_limits?.[1], { type: "nproc", hard: 2n ** 64n - 1n, soft: 2n ** 64n - 1n });
  assertEquals(expose, { "10": "udp", "11": "udp", "12": "udp", "99": "tcp" });
  for (const { name, body } of Object.values(captured("docker_28_2_2"))) {
    assertEquals(decode(CreateContainerConfig, body).Image, "busybox", name);
  }
});

Deno.test("decode() reads the first value of a body, as Go does, and takes time with its length only", () => {
  const schema = z.object({ Name: z.string() });
  for (const rest of ["}", " trailing", "{", '"', ']}"']) {
    assertEquals(decode(schema, `{"Name":"a}\\"b"}${rest}`), { Name: 'a}"b' }, rest);
  }
  for (
    const bad of ['{"Name":"a"', "}", "]", '{"Name":"a",}', `{"Name":"a" "b"}`, "{]}", '{"' + '\\"'.repeat(500_000)]
  ) {
    assertThrows(() => decode(schema, bad), DecodeError);
  }
});
